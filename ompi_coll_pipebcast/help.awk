# Makes macros for C from a file of messages in the format of Open MPI's show_help files: one for each topic, a string
# for coll_pipebcast_help(). Its first line is the topic.
function end() {
    if (n > 0) printf " \\\n    \"%s\\n\"\n", line
}
BEGIN {
    line = sprintf("%74s", "")
    gsub(/ /, "-", line)
    print "/* Made from help-mpi-coll-pipebcast.txt, which has the messages. */"
}
/^#/ { next }
/^\[/ {
    end()
    topic = substr($0, 2, length($0) - 2)
    name = toupper(topic)
    gsub(/-/, "_", name)
    printf "\n#define PB_HELP_%s \\\n    \"%s\\n\" \\\n    \"%s\\n\"", name, topic, line
    n++
    next
}
{
    gsub(/[\\"]/, "\\\\&")
    printf " \\\n    \"%s\\n\"", $0
}
END {
    end()
    printf "\n#define PB_HELP_TOPICS %d\n", n
}
