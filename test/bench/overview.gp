# overview.gp - what people do most with ids: bars of idgen next to others
#
# Set: data, made by the program overview

set terminal svg size 820,440 font 'sans-serif,13' background '#ffffff'
set datafile separator '\t'
set datafile missing '?'
set label 1 'Speed as a multiple of nextval; for gapless numbers, of a counter table' \
	at screen 0.015, screen 0.965 left noenhanced font 'sans-serif,14'
set style fill solid 0.9 noborder
set grid xtics back linecolor '#dddddd'
set border 1 linecolor '#555555'
set tics nomirror
set lmargin 29
set rmargin 23
set bmargin 2
set tmargin 2
set xrange [0 : 2.05]
set xtics 0.5 format '%.1f'
set yrange [*:*] reverse
set offsets 0, 0, 0.2, 0.6
unset ytics
unset key
set arrow from 1, graph 0 to 1, graph 1 nohead front linecolor '#555555' dashtype 2

plot data using 2:1:(0):2:($1 - 0.42):($1 + 0.42):(int(strcol(5))) with boxxyerror linecolor rgb variable, \
	data using (valid(2) ? $2 : NaN):1:3:4 with xerrorbars linecolor '#333333' pointtype 0, \
	data using (valid(2) ? 0 : NaN):1:6 with labels right offset -1, 0 noenhanced textcolor '#333333', \
	data using (valid(2) ? NaN : 0):1:6 with labels left offset -27.5, -0.1 noenhanced font 'sans-serif:Bold,13', \
	data using (valid(2) ? 2.05 : NaN):1:(strcol(7).'   '.strcol(8)) with labels left offset 1, 0 noenhanced textcolor '#333333'
