"""Makes the rings of a one-disk Swift and runs its servers, or waits until S3 works (start.sh)."""
import ctypes, hashlib, hmac, os, signal, sys, time


def xattrs(folder):
    probe = os.path.join(folder, '.xattr')
    open(probe, 'w').close()
    try:
        os.setxattr(probe, b'user.swift.metadata', b'x' * 3000)
    except OSError as e:
        sys.exit('no extended attributes on %s: %s' % (folder, e))
    finally:
        os.unlink(probe)


def free(port):
    import socket
    for one in range(port, port + 4):
        probe = socket.socket()
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(('127.0.0.1', one))
        except OSError as e:
            sys.exit('port %d: %s' % (one, e.strerror))
        finally:
            probe.close()


def rings(conf, port):
    from swift.common.ring import RingBuilder
    for at, name in enumerate(('account', 'container', 'object'), 1):
        ring = os.path.join(conf, name + '.ring.gz')
        builder = RingBuilder(4, 1, 0)
        builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port + at,
                         'replication_ip': '127.0.0.1', 'replication_port': port + at,
                         'device': 'd1', 'weight': 1.0})
        builder.rebalance(seed='rollcall-tests')
        builder.get_ring().save(ring)


KINDS = ('account', 'container', 'object', 'proxy')


def end_with(parent):
    # A process ends with the one that started it, however that ends.
    ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)


def serve_all(conf, logs, parent):
    """Runs the servers, each in a process; ends when one of them does. To import Swift, and to have eventlet patch
    the standard library, takes longer than all else that a server does until it serves, so it is done once."""
    end_with(parent)
    import swift.account.server, swift.common.middleware.s3api.s3api, swift.common.middleware.slo  # noqa: E401
    import swift.container.server, swift.obj.server, swift.proxy.server  # noqa: E401
    from swift.common.utils import eventlet_monkey_patch
    eventlet_monkey_patch()
    pids = set()
    stopped = []

    def stop(*_):
        stopped.append(True)
        for pid in pids:
            os.kill(pid, signal.SIGTERM)

    own = os.getpid()
    for kind in KINDS:
        pid = os.fork()
        if pid == 0:
            with open(os.path.join(logs, kind + '.log'), 'w') as log:
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
            end_with(own)
            serve(conf, kind)
        pids.add(pid)
    signal.signal(signal.SIGTERM, stop)
    pids.remove(os.wait()[0])
    failed = not stopped
    stop()
    while pids:
        pids.remove(os.wait()[0])
    sys.exit(failed)


def serve(conf, kind):
    import swift.common.utils as utils
    utils.set_swift_dir(conf)
    # Otherwise a second store on the same port would silently share its connections.
    import functools
    import swift.common.wsgi as wsgi
    wsgi.listen = functools.partial(wsgi.listen, reuse_port=False)
    from swift.common.wsgi import run_wsgi
    if kind == 'object':
        from swift.obj.server import global_conf_callback
        sys.exit(run_wsgi(os.path.join(conf, kind + '.conf'), kind + '-server', verbose=True,
                          global_conf_callback=global_conf_callback))
    sys.exit(run_wsgi(os.path.join(conf, kind + '.conf'), kind + '-server', verbose=True))


class InfoCache(object):
    """Stands in for memcached, which tempauth requires: keeps what is known of the account and of the
    bucket, which nothing changes, so that a request is not preceded by two others. Objects and listings
    are never cached, so no answer is stale."""

    def __init__(self):
        self.known = {}

    def get(self, key, *a, **k):
        return self.known.get(key)

    def get_multi(self, keys, *a, **k):
        return [self.known.get(key) for key in keys]

    def set(self, key, value, *a, **k):
        # A bucket that is missing may be made.
        if key.startswith(('account/', 'container/')) and value.get('status') in (200, 204):
            self.known[key] = value

    def delete(self, key, *a, **k):
        self.known.pop(key, None)

    def incr(self, *a, **k):
        return None

    decr = set_multi = incr


def cache_factory(global_conf, **local):
    known = InfoCache()

    def factory(app):
        def cache(env, start_response):
            env['swift.cache'] = known
            return app(env, start_response)
        return cache
    return factory


def edge_factory(global_conf, **local):
    """Answers as S3 where s3api differs: 403 without a signature; conditional PUTs, passed on to
    the filter below, since s3api refuses them; DeleteObjects without Content-MD5."""
    from swift.common.middleware.s3api.s3response import AccessDenied, NoSuchKey
    from swift.common.swob import Request

    def factory(app):
        def edge(env, start_response):
            asked = Request(env)
            signature = env.get('HTTP_AUTHORIZATION', '').startswith('AWS') or any(
                name in asked.params for name in ('X-Amz-Signature', 'Signature'))
            if not signature and env['PATH_INFO'] != '/healthcheck':
                return AccessDenied()(env, start_response)
            if asked.method == 'PUT' or (asked.method == 'POST' and 'uploadId' in asked.params):
                for given, kept in (('HTTP_IF_MATCH', 'rig.match'), ('HTTP_IF_NONE_MATCH', 'rig.none')):
                    if given in env:
                        env[kept] = env.pop(given)
            if (asked.method == 'POST' and 'delete' in asked.params and
                    'HTTP_CONTENT_MD5' not in env and
                    0 < (asked.content_length or 0) <= 2 << 20):
                import base64, io
                body = env['wsgi.input'].read(asked.content_length)
                env['wsgi.input'] = io.BytesIO(body)
                env['HTTP_CONTENT_MD5'] = base64.b64encode(hashlib.md5(body).digest()).decode()
            if 'rig.match' not in env:
                return app(env, start_response)
            # s3api would report NoSuchBucket for a missing key.
            absent = env['rig.absent'] = []
            said = asked.get_response(app)
            return (NoSuchKey(absent[0]) if absent else said)(env, start_response)
        return edge
    return factory


def conditions_factory(global_conf, **local):
    """Serialises PUTs and DELETEs of each key and judges their conditions.

    Swift checks If-None-Match: * before it reads the body, so two concurrent PUTs could both
    succeed, and ignores If-Match on a PUT."""
    from contextlib import contextmanager
    from eventlet.semaphore import Semaphore
    from swift.common.middleware.s3api.s3response import PreconditionFailed
    from swift.common.swob import HTTPNotFound, Request
    from swift.common.utils import Timestamp, close_if_possible
    from swift.common.wsgi import make_pre_authed_env
    held = {}

    @contextmanager
    def one_at_a_time(path):
        entry = held.setdefault(path, [Semaphore(1), 0])
        entry[1] += 1
        try:
            with entry[0]:
                yield
        finally:
            entry[1] -= 1
            if entry[1] == 0:
                del held[path]

    def fits(given, tag):
        return tag is not None and (given.strip() == '*' or tag in [
            one.strip().strip('"') for one in given.split(',')])

    def factory(app):
        def current(env):
            head = make_pre_authed_env(env, method='HEAD', path=env['PATH_INFO'],
                                       query_string='', swift_source='conditions')
            got = Request(head).get_response(app)
            if got.status_int // 100 != 2:
                return None
            return (got.headers.get('X-Object-Sysmeta-S3Api-Etag') or
                    got.headers.get('Etag', '')).strip('"')

        def conditions(env, start_response):
            parts = env['PATH_INFO'].split('/', 4)
            if (env['REQUEST_METHOD'] not in ('PUT', 'DELETE') or len(parts) < 5 or
                    not parts[4] or parts[3].endswith('+segments')):
                return app(env, start_response)
            with one_at_a_time(env['PATH_INFO']):
                match, none = env.get('rig.match'), env.get('rig.none')
                if match or none:
                    tag = current(env)
                    if match and tag is None:
                        env['rig.absent'].append(parts[4])
                        return HTTPNotFound()(env, start_response)
                    if (match and not fits(match, tag)) or (none and fits(none, tag)):
                        raise PreconditionFailed()
                if 'HTTP_X_TIMESTAMP' in env:
                    env['HTTP_X_TIMESTAMP'] = Timestamp.now().internal
                said = app(env, start_response)
                try:
                    return list(said)
                finally:
                    close_if_possible(said)
        return conditions
    return factory


def signed(port, region, access, secret, method, path, body=b''):
    import http.client
    now = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
    scope = '%s/%s/s3/aws4_request' % (now[:8], region)
    digest = hashlib.sha256(body).hexdigest()
    headers = {'host': '127.0.0.1:%d' % port, 'x-amz-content-sha256': digest, 'x-amz-date': now}
    names = ';'.join(sorted(headers))
    canonical = '\n'.join([method, path, '',
                           ''.join('%s:%s\n' % (n, headers[n]) for n in sorted(headers)),
                           names, digest])
    to_sign = '\n'.join(['AWS4-HMAC-SHA256', now, scope,
                         hashlib.sha256(canonical.encode()).hexdigest()])
    key = ('AWS4' + secret).encode()
    for part in scope.split('/'):
        key = hmac.new(key, part.encode(), 'sha256').digest()
    headers['authorization'] = 'AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s' % (
        access, scope, names, hmac.new(key, to_sign.encode(), 'sha256').hexdigest())
    conn = http.client.HTTPConnection('127.0.0.1', port, timeout=3)
    try:
        conn.request(method, path, body, headers)
        got = conn.getresponse()
        return got.status, got.read()
    finally:
        conn.close()


def wait(port, region, access, secret, bucket):
    end = time.monotonic() + 60
    said = 'no answer'
    while time.monotonic() < end:
        try:
            said = signed(port, region, access, secret, 'PUT', '/' + bucket)
            if said[0] in (200, 409):
                said = signed(port, region, access, secret, 'PUT', '/%s/.ready' % bucket, b'ready')
                if said[0] == 200:
                    said = signed(port, region, access, secret, 'DELETE', '/%s/.ready' % bucket)
                    if said[0] == 204:
                        return
        except OSError as e:
            said = e
        time.sleep(0.2)
    sys.exit('S3 did not come to work in 60 s: %s' % (said,))


if __name__ == '__main__':
    do, conf = sys.argv[1:3]
    if do == 'serve':
        port, disk, logs, parent = sys.argv[3:7]
        free(int(port))
        xattrs(disk)
        rings(conf, int(port))
        serve_all(conf, logs, int(parent))
    elif do == 'wait':
        wait(int(sys.argv[3]), sys.argv[4], sys.argv[5], os.environ['S3_SECRET_KEY'], sys.argv[6])
