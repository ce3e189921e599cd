#!/bin/sh
# Is process 1 of a rented machine: all that runs on the machine ends with it, as with the power.
# machine.py starts it in namespaces of its own, with HERE, NAME, ADDRESS, GATEWAY and SSHD.
# Under the names shutdown, poweroff and halt it is that command. As the real one, shutdown takes
# `now` and whole minutes (`+20`) only, and `-c` takes it back. As systemctl and service it does
# nothing, so that a machine never commands the services of the machine on which the tests run.
case ${0##*/} in
systemctl | service) exit ;;
shutdown | poweroff | halt)
  minutes=0 ends="$HERE/shutdown-process"
  for word; do
    case $word in
    -c) kill "$(cat "$ends")" 2>/dev/null; exit ;;
    +*[!0-9]* | +) echo "Failed to parse time specification: $word" >&2; exit 1 ;;
    +*) minutes=${word#+} ;;
    esac
  done
  (sleep $((60 * minutes)) && kill -TERM 1) >/dev/null 2>&1 &
  echo $! >"$ends"
  exit ;;
esac
set -e
mount --make-rprivate /
mount -t proc proc /proc
hostname "$NAME"
ip link set lo up
until ip link show eth0 >/dev/null 2>&1; do sleep 0.01; done
ip addr add "$ADDRESS/32" dev eth0
ip link set eth0 up
ip route add "$GATEWAY" dev eth0
ip route add default via "$GATEWAY"
mount --bind "$HERE/ssh" /etc/ssh
mount --bind "$HERE/passwd" /etc/passwd
[ ! -d /root/.ssh ] || mount --bind "$HERE/home/.ssh" /root/.ssh
for part in cpuinfo meminfo; do
  [ ! -e "$HERE/$part" ] || mount --bind "$HERE/$part" "/proc/$part"
done
cd "$HERE/home"
export HOME="$HERE/home" PATH="$HERE/bin:$PATH"
trap 'exit 0' TERM
# Images start user data only where it begins as a script.
case $(head -c 2 "$HERE/user-data") in '#!') sh "$HERE/user-data" >"$HERE/user-data.log" 2>&1 || true ;; esac
key=/etc/ssh/ssh_host_ed25519_key
[ -e "$key" ] || ssh-keygen -q -t ed25519 -N '' -f "$key"
[ -z "$SSHD" ] || "$SSHD" -D -e 2>"$HERE/sshd.log" &
while :; do
  sleep 3600 &
  wait $!
done
