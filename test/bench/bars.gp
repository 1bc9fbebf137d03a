# bars.gp - a bar for each competitor: the median, with the least and the greatest
#
# Set: data, heading, row

bars = int(system("wc -l <'".data."'"))
set terminal svg size 820,(90 + 34 * bars) font 'sans-serif,13' background '#ffffff'
set datafile separator '\t'
set label 1 row eq '' ? heading : heading.'; '.row at screen 0.02, graph 1 left offset 0, 1.5 noenhanced
set tmargin 3
set style fill solid 0.85 noborder
set grid xtics back linecolor '#dddddd'
set border 3 linecolor '#555555'
set tics nomirror
set yrange [bars - 0.4 : -0.6]
set xrange [0 : *]
set ytics noenhanced
set format x '%g'
unset key

# ours are red
colour(name) = strstrt(name, 'idgen') > 0 ? 0xd62728 : 0x4292c6

plot data using 2:0:(0):2:($0 - 0.35):($0 + 0.35):(colour(strcol(1))):ytic(1) with boxxyerror linecolor rgb variable, \
	data using 2:0:3:4 with xerrorbars linecolor '#333333' pointtype 0
