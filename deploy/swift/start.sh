#!/usr/bin/env bash
# Starts an S3-compatible object store for the demo and the tests, not for production: OpenStack Swift from Debian's python3-swift with its
# s3api middleware, one copy of everything, on 127.0.0.1 and in the foreground of this script.
#
#   start.sh FOLDER PORT
#
# Ports PORT to PORT+3 must be free, FOLDER must be empty and on a file system with extended attributes.
# Once a signed PUT works, the script prints NAME=value lines, S3_READY=1 last. On SIGTERM, SIGINT or
# SIGHUP, or if a server dies, it stops all servers and removes what it made in FOLDER.
#
# S3_FAITHFUL=0 leaves out the filters that make conditional writes work as on S3: the store then answers
# them with 501, as some stores do. S3_SECRET_KEY sets the secret, which is random otherwise.
# S3_UNTIL_EOF=1 also stops everything when standard input ends, as it does when the process at its other end is killed.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
mkdir -p "$1"
root=$(cd "$1" && pwd -P)
port=$2
python=${PYTHON:-/usr/bin/python3}
access=rollcall:tests
secret=${S3_SECRET_KEY:-$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')}
bucket=rollcall
region=us-east-1
faithful=${S3_FAITHFUL:-1}
endpoint="http://127.0.0.1:$port"

fail() {
	echo "start.sh: $*" >&2
	exit 1
}

pids=()
waiter=
reader=
stop() {
	local status=$?
	trap '' TERM INT HUP
	trap - EXIT
	if [ ${#pids[@]} -gt 0 ]; then
		kill -TERM $waiter $reader "${pids[@]}" 2>/dev/null || true
		wait "${pids[@]}" 2>/dev/null || true
	fi
	rm -rf "$root/conf" "$root/disks" "$root/log"
	exit "$status"
}
trap stop EXIT
trap 'exit 0' TERM INT HUP

if [ "${S3_UNTIL_EOF:-0}" = 1 ]; then
	# In a session of its own: it must run where the servers are stopped by SIGSTOP.
	setsid bash -c 'while read -r _; do :; done; kill -CONT -- "-$0"; kill -TERM "$0"' $$ <&0 >/dev/null 2>&1 &
	reader=$!
fi

conf=$root/conf
mkdir -p "$conf" "$root/disks/d1" "$root/log"
cp "$here/rig.py" "$conf/rig.py"

cat >"$conf/swift.conf" <<EOC
[swift-hash]
swift_hash_path_suffix = rollcall-tests

[storage-policy:0]
name = only
default = yes
EOC

user=$(id -un)
common() {
	cat <<EOC
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $1
bind_timeout = 3
user = $user
swift_dir = $conf
devices = $root/disks
mount_check = false
workers = 0
fallocate_reserve = 0
log_level = WARNING
log_address = $root/log/none
node_timeout = 60
client_timeout = 60
conn_timeout = 5

EOC
}

at=0
for kind in account container object; do
	at=$((at + 1))
	# A listing must not lag behind a PUT: no updater runs here to make up for it.
	{
		common $((port + at))
		cat <<EOC
[pipeline:main]
pipeline = $kind-server

[app:$kind-server]
use = egg:swift#$kind
container_update_timeout = 60
conn_timeout = 5
node_timeout = 60
EOC
	} >"$conf/$kind.conf"
done

edge= filter=
if [ "$faithful" = 1 ]; then
	edge=edge
	filter=conditions
fi
{
	common "$port"
	cat <<EOC
max_clients = 256

[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck info $edge listing_formats s3api tempauth $filter copy slo proxy-server

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:gatekeeper]
use = egg:swift#gatekeeper

[filter:healthcheck]
use = egg:swift#healthcheck

[filter:info]
paste.filter_factory = rig:cache_factory

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:s3api]
use = egg:swift#s3api
location = $region
max_upload_part_num = 10000
s3_acl = false

[filter:tempauth]
use = egg:swift#tempauth
user_${access%%:*}_${access##*:} = $secret .admin

[filter:edge]
paste.filter_factory = rig:edge_factory

[filter:conditions]
paste.filter_factory = rig:conditions_factory

[filter:copy]
use = egg:swift#copy

[filter:slo]
use = egg:swift#slo
max_manifest_segments = 10000

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = false
error_suppression_interval = 0
error_suppression_limit = 1000000
node_timeout = 60
recoverable_node_timeout = 60
conn_timeout = 5
post_quorum_timeout = 5
EOC
} >"$conf/proxy.conf"
chmod 600 "$conf/proxy.conf"

PYTHONPATH=$conf PYTHONDONTWRITEBYTECODE=1 "$python" "$conf/rig.py" serve \
	"$conf" "$port" "$root/disks/d1" "$root/log" $$ </dev/null >"$root/log/servers.log" 2>&1 &
pids+=($!)

S3_SECRET_KEY=$secret "$python" "$conf/rig.py" wait "$conf" "$port" "$region" "$access" "$bucket" &
waiter=$!
while kill -0 "$waiter" 2>/dev/null; do
	for pid in "${pids[@]}"; do
		if ! kill -0 "$pid" 2>/dev/null; then
			kill "$waiter" 2>/dev/null || true
			tail -n 5 "$root"/log/*.log >&2
			fail "a server ended before S3 worked"
		fi
	done
	sleep 0.1
done
wait "$waiter" || {
	waiter=
	tail -n 5 "$root"/log/*.log >&2
	fail "S3 did not come to work"
}
waiter=

cat <<EOC
S3_ENDPOINT=$endpoint
S3_REGION=$region
S3_ACCESS_KEY=$access
S3_SECRET_KEY=$secret
S3_BUCKET=$bucket
S3_READY=1
EOC

# Ends here by a signal; otherwise a server died, and that is a failure.
wait -n "${pids[@]}" || true
tail -n 5 "$root"/log/*.log >&2
fail "a server ended"
