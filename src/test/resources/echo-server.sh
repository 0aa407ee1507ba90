# A tiny MCP server for many copies at once: POSIX sh, builtins only on the way of an echo.
#
# Argument: a file to which each executed tool call adds a line "<call> <deadline> <now>", the last
# two in hundredths of a second of /proc/uptime. None: nothing is written.
#
# Tools (arguments "call", "deadline"): echo answers the call's name and the pid; slow does so after
# 30 ms; hang never answers; exit ends the server without an answer.

exec 3>>"${1:-/dev/null}"

answer() {
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"
}

while IFS= read -r line; do
  id=${line#*'"id":'}
  id=${id%%,*}
  case $line in
    *'"method":"tools/call"'*)
      call=${line#*'"call":"'}
      call=${call%%'"'*}
      deadline=${line#*'"deadline":'}
      deadline=${deadline%%[!0-9]*}
      if [ -n "$1" ]; then
        read -r now rest </proc/uptime
        printf '%s %s %s\n' "$call" "$deadline" "${now%.*}${now#*.}" >&3
      fi
      done='{"content":[{"type":"text","text":"'$call' '$$'"}]}'
      case $line in
        *'"name":"echo"'*) answer "$done" ;;
        *'"name":"slow"'*) (sleep 0.03; answer "$done") & ;;
        *'"name":"hang"'*) ;;
        *'"name":"exit"'*) exit 7 ;;
      esac
      ;;
    *'"method":"tools/list"'*)
      list=
      for name in echo slow hang exit; do
        list=$list${list:+,}'{"name":"'$name'","inputSchema":{"type":"object"}}'
      done
      answer '{"tools":['"$list"']}'
      ;;
    *'"method":"initialize"'*)
      answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}'
      ;;
    *'"method":"ping"'*) answer '{}' ;;
    *'"id":'*)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id"
      ;;
  esac
done
