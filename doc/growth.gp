# Draws growth.csv as growth.svg: ratio to T(M) against hosts, a panel for each network and speed.
set datafile separator ','
set terminal svg size 1200,900 dynamic background rgb 'white'
set output 'growth.svg'
set multiplot layout 3,4 title 'A broadcast of 64 KB: time over T(M) against hosts, computed'
set logscale x 2
set logscale y
set grid
set xtics 32,8,65536 format '%.0f'
set yrange [0.5:60]
set ytics (0.5, 1, 2, 5, 10, 20, 50)
set key top left samplen 1 spacing 0.8 font ',8'
row(network, speed, kind) = sprintf("< awk -F, '$1 == \"%s\" && $2 == %d && $5 == \"%s\" { print $3 \",\" $8 }' growth.csv", network, speed, kind)
do for [network in 'leaf-spine fat-tree random'] {
    do for [speed in '1000 10000 25000 100000'] {
        set title sprintf('%s, %d Gbit/s', network, speed / 1000)
        plot for [kind in 'binomial chain binary kary twotree fourtree multicast'] \
            row(network, speed + 0, kind) using 1:2 with linespoints pointsize 0.5 title kind
        unset key
    }
}
