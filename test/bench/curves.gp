# curves.gp - medians over what grows, on logarithmic axes, with the least and the greatest
#
# Set: data, heading, xname

set terminal svg size 820,500 font 'sans-serif,13' background '#ffffff'
set datafile separator '\t'
set label 1 heading at screen 0.02, graph 1 left offset 0, 1.5 noenhanced
set tmargin 3
set xlabel xname noenhanced
set logscale xy
set format xy '%.0s%c'
set mxtics 1
set grid back linecolor '#dddddd'
set border 3 linecolor '#555555'
set tics nomirror
set key below left Left reverse noenhanced maxcols 2 height 1
set offsets graph 0.03, graph 0.03, 0, 0

head(i) = system(sprintf("head -n 1 '%s' | cut -f %d", data, i))
competitors = (int(system("head -n 1 '".data."' | awk -F '\t' '{ print NF }'")) - 1) / 3

# ours are warm, those of native sequences blue, others grey
array warm[5] = ['#d62728', '#ff7f0e', '#e377c2', '#8c564b', '#bcbd22']
array blue[4] = ['#08519c', '#4292c6', '#9ecae1', '#17becf']
array grey[4] = ['#2ca02c', '#7f7f7f', '#c7c7c7', '#000000']
array colours[competitors]
w = 0
b = 0
g = 0
do for [i = 1 : competitors] {
	name = head(3 * i - 1)
	if (strstrt(name, 'idgen') || strstrt(name, 'max_sequences')) { w = w + 1; colours[i] = warm[w] } \
	else { if (strstrt(name, 'nextval')) { b = b + 1; colours[i] = blue[b] } \
	else { g = g + 1; colours[i] = grey[g] } }
}

plot for [i = 1 : competitors] data using 1:3*i-1:3*i:3*i+1 skip 1 with yerrorlines \
	linecolor rgb colours[i] linewidth 1.5 pointtype 7 pointsize 0.5 title head(3 * i - 1)
