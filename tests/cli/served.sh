# The same tests of the command line, on a home that a server has: served.sh SCRIPT.
TINE_TEST_SERVER=1
. "$TESTS_DIR/cli/$1"
