import assert from 'node:assert/strict';
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fetchBytes, isAllowed, isPublic } from '../../src/media/fetch.js';
import { must, newEvent } from '../support/rows.js';
import { type Reply, type RoleName, startServer } from '../support/server.js';
import { storedNames } from '../support/stored.js';
import { allowed, begin, busiest, end, inner, LIMIT, png, portOf, s, seen, touched, uncaught } from './ssrf.servers.js';
import { Findings, nameOf, WHO } from './support.js';

/** Row "server-side request forgery": pictures by address come from public addresses only, judged when connecting. */

before(begin);
after(end);

const words = (text: string): string[] => text.trim().split(/\s+/);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const ask = (image: unknown, as: RoleName | undefined = 'author', path = '/events'): Promise<Reply> =>
  s.post(path, path === '/events' ? newEvent({ image }) : { venue: `V${Math.random()}`, image }, as);

describe('server-side request forgery', () => {
  test('inner addresses in every spelling are refused, and never connected to', async () => {
    const found = new Findings();
    const port = portOf(inner);
    const hosts = words(
      `127.0.0.1 127.1 127.0.1 2130706433 017700000001 0177.0.0.1 0x7f000001 0x7f.0.0.1 0x7f.1 127.0.0.2 127.255.255.254 0.0.0.0 0 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::] localhost localhost. LOCALHOST ip6-localhost ①②⑦.⓪.⓪.① 127。0。0。1 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.1.1 100.64.0.1 100.127.255.254 169.254.169.254 [fd00::1] [fd00:ec2::254] [fc00::1] [fe80::1] [ff02::1] [2001:db8::1] 198.18.0.1 192.0.2.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 192.0.0.1 [::ffff:10.0.0.1] [::ffff:169.254.169.254] 2852039166 0xa9fea9fe 0251.0376.0251.0376 nosuchhost.invalid metadata.google.internal`,
    );
    for (const host of hosts) {
      for (const scheme of ['http', 'HTTPS']) {
        const from = performance.now();
        const reply = await ask(`${scheme}://${host}:${port}/a.png`);
        found.check(
          reply.status === 400 && Object.keys(reply.json.data.params).join() === 'image',
          () => `${host}: ${reply.status} ${reply.text}`,
        );
        found.check(performance.now() - from < 8000, () => `${host}: took long, so it was tried`);
      }
    }
    found.check(touched === 0, () => `the inner server was reached ${touched} times`);
    found.end(hosts.length * 4);
  });

  test('the list of networks: the first and last address of each, and their neighbours', () => {
    const inside = [
      '0.0.0.0',
      '0.255.255.255',
      '10.0.0.0',
      '10.255.255.255',
      '100.64.0.0',
      '100.127.255.255',
      '127.0.0.0',
      '127.255.255.255',
      '169.254.0.0',
      '169.254.255.255',
      '172.16.0.0',
      '172.31.255.255',
      '192.168.0.0',
      '192.168.255.255',
      '198.18.0.0',
      '198.19.255.255',
      '224.0.0.0',
      '255.255.255.255',
      '::',
      '::1',
      'fc00::',
      'fdff::1',
      'fe80::1',
      'febf::1',
      'fec0::1',
      'ff00::',
      '::ffff:8.8.8.8',
      '::ffff:127.0.0.1',
      '64:ff9b::808:808',
      '100::1',
      '2001::1',
      '2001:db8::1',
      '2002:a00:1::',
      '4000::1',
      '',
      'x',
      '1.2.3',
      '01.2.3.4',
    ];
    const outside = words(
      `1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 2606:4700::1111 2a00::1`,
    );
    assert.deepEqual(inside.filter(isPublic), []);
    assert.deepEqual(
      outside.filter((one) => !isPublic(one)),
      [],
    );
  });

  test('exempt are hosts, or ports of them, also where the address need not name the port', () => {
    const allow = ['old.example', '10.0.0.1:80', '10.0.0.2:443', '[fd00::1]:8080'];
    const cases: [host: string, protocol: string, port: string, isExempt: boolean][] = [
      ['old.example', 'https:', '', true],
      ['10.0.0.1', 'http:', '', true],
      ['10.0.0.1', 'http:', '80', true],
      ['10.0.0.1', 'https:', '', false],
      ['10.0.0.2', 'https:', '', true],
      ['10.0.0.2', 'http:', '8080', false],
      ['fd00::1', 'http:', '8080', true],
      ['fd00::1:8080', 'http:', '', false],
    ];
    for (const [host, protocol, port, isExempt] of cases)
      assert.equal(isAllowed(allow, host, { protocol, port }), isExempt, `${protocol}//${host} ${port}`);
  });

  test('other schemes, user names and nonsense are refused', async () => {
    const good = `127.0.0.1:${portOf(allowed)}/a.png`;
    const before = seen.length;
    for (const image of [
      'file:///etc/passwd',
      'gopher://127.0.0.1/',
      `data:image/png;base64,${png.toString('base64')}`,
      `ftp://${good}`,
      `javascript:1`,
      `//${good}`,
      `http:${good}`,
      `http:/${good}`,
      `unix:/var/run/docker.sock`,
      `blob:http://${good}`,
      `jar:http://${good}!/`,
      `\thttp://${good}`,
      `http://user@${good}`,
      `http://user:pass@${good}`,
      `http://8.8.8.8@${good}`,
      'http://',
      'http://?',
      'https://[',
      `http://127.0.0.1:${portOf(inner)}#@${good}`,
      `http://127.0.0.1:${portOf(inner)}\\@${good}`,
      { url: `http://${good}` },
      [`http://${good}`],
    ]) {
      const reply = await ask(image);
      assert.equal(reply.status, 400, JSON.stringify(image));
    }
    assert.equal(seen.length, before, 'nothing was fetched');
    assert.equal(touched, 0);
  });

  test('a redirect leads nowhere that a first address would not', async () => {
    const at = `http://127.0.0.1:${portOf(allowed)}`;
    const to = (where: string, code = 302) => `${at}/to?code=${code}&at=${encodeURIComponent(where)}`;
    assert.equal((await ask(to('/a.png'))).status, 201, 'on the same host it is followed');
    const port = portOf(inner);
    for (const code of [301, 302, 303, 307, 308])
      assert.equal((await ask(to(`http://127.0.0.1:${port}/a.png`, code))).status, 400);
    for (const where of [
      `//127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `http://2130706433:${port}/`,
      'http://169.254.169.254/latest/',
      'file:///etc/passwd',
      'gopher://x/',
      `http://u:p@127.0.0.1:${portOf(allowed)}/a.png`,
      'data:image/png,x',
      '',
      'http://[',
      to(to(`http://127.0.0.1:${port}/`)),
    ]) {
      assert.equal((await ask(to(where))).status, 400, where);
    }
    assert.equal((await ask(`${at}/loop`)).status, 400, 'in circles');
    assert.equal(touched, 0);
  });

  test('what comes is limited in size, kind and time', async () => {
    const at = `http://127.0.0.1:${portOf(allowed)}`;
    const from = performance.now();
    // What nobody holds is collected, also what should end something later.
    const collecting = setInterval(collect, 500);
    const slow = ask(`${at}/slow`)
      .then((reply) => ({ reply, ms: performance.now() - from }))
      .finally(() => clearInterval(collecting));
    for (const path of [
      '/endless',
      '/bomb',
      '/gzip',
      '/untyped',
      '/lies',
      '/html',
      '/svg',
      '/status?code=404',
      '/status?code=500',
      '/status?code=206',
      '/status?code=304',
    ]) {
      const began = performance.now();
      assert.equal((await ask(at + path)).status, 400, path);
      // Less than the ten seconds after which it would have been given up.
      assert.ok(performance.now() - began < 9000, `${path} took long`);
    }
    assert.ok(seen.every((headers) => headers['accept-encoding'] === 'identity'));
    assert.ok(
      seen.every(
        (headers) =>
          headers.authorization === undefined && headers.cookie === undefined && headers.referer === undefined,
      ),
    );
    const { reply, ms } = await slow;
    assert.equal(reply.status, 400);
    assert.ok(ms < 13_000, `a byte now and then was waited for ${ms} ms`);
  });

  test('the pictures of one write have one deadline together, also while others hold the line', async (t) => {
    const at = `http://127.0.0.1:${portOf(allowed)}`;
    const impatient = await startServer({
      KALENDS_FETCH_ALLOW: `127.0.0.1:${portOf(allowed)}`,
      KALENDS_FETCH_TIMEOUT: '2',
      KALENDS_LOG_LEVEL: 'silent',
    });
    t.after(impatient.close);
    const slow = (n: number) =>
      impatient.post(
        '/events',
        newEvent({
          image: `${at}/quick?${n}`,
          venue: { venue: 'V', image: `${at}/slow?v${n}` },
          organizer: [1, 2, 3].map((o) => ({ organizer: `O${o}`, image: `${at}/slow?o${n}${o}` })),
        }),
        'author',
      );
    const from = performance.now();
    const replies = await Promise.all([1, 2, 3, 4, 5, 6].map(slow));
    const ms = performance.now() - from;
    for (const { status, text } of replies) {
      assert.equal(status, 400, text);
      assert.match(text, /"The images could not be fetched within 2 s/);
    }
    assert.ok(ms >= 1900 && ms < 6000, `${ms} ms`);
    const fast = await impatient.post('/events', newEvent({ image: `${at}/quick?after` }), 'author');
    assert.equal(fast.status, 201, 'the line is free again');
    assert.equal((await storedNames(impatient)).length, 1, 'what was fetched in vain is gone');
  });

  test('a name is judged by the address that is connected to: rebinding', async () => {
    const [lookup, connect] = [dns.lookup, net.connect];
    const answers: string[][] = [];
    const asked: string[] = [];
    const connected: unknown[] = [];
    dns.lookup = (async (host: string) => {
      asked.push(host);
      return (answers.shift() ?? ['127.0.0.1']).map((address) => ({ address, family: net.isIP(address) }));
    }) as never;
    net.connect = ((options: { host?: string }) => {
      connected.push(options.host);
      const socket = new net.Socket();
      setImmediate(() => socket.destroy(new Error('no network in tests')));
      return socket;
    }) as never;
    syncBuiltinESMExports();
    try {
      const go = async (...list: string[][]): Promise<void> => {
        answers.splice(0, answers.length, ...list);
        asked.length = 0;
        connected.length = 0;
        const options = { bytes: LIMIT, allow: [], deadline: AbortSignal.timeout(20_000) };
        assert.equal(await fetchBytes(`http://rebind.example:${portOf(inner)}/a.png`, options), undefined);
      };
      await go(['127.0.0.1']);
      assert.deepEqual(connected, [], 'a private answer');
      await go(['93.184.216.34', '10.0.0.1']);
      assert.deepEqual(connected, [], 'a public and a private answer');
      await go(['10.0.0.1', '93.184.216.34']);
      assert.deepEqual(connected, []);
      await go(['::ffff:127.0.0.1']);
      assert.deepEqual(connected, []);
      await go([]);
      assert.deepEqual(connected, []);
      await go(['93.184.216.34'], ['127.0.0.1']);
      assert.ok(
        connected.length > 0 && connected.every((host) => host === '93.184.216.34'),
        `connected to ${connected}`,
      );
      assert.equal(asked.length, connected.length, 'one look-up for each connection');
    } finally {
      dns.lookup = lookup;
      net.connect = connect;
      syncBuiltinESMExports();
    }
    assert.equal(touched, 0);
  });

  test('never more than four at once', async () => {
    const at = `http://127.0.0.1:${portOf(allowed)}/held`;
    const replies = await Promise.all(Array.from({ length: 14 }, (_, i) => ask(`${at}?${i}`)));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
    assert.ok(busiest >= 2 && busiest <= 4, `${busiest} at once`);
  });

  for (const who of WHO) {
    const may = who === 'author' || who === 'editor' || who === 'admin';
    test(`${nameOf(who)} ${may ? 'makes' : 'does not make'} the server fetch`, async () => {
      const before = seen.length;
      const at = `http://127.0.0.1:${portOf(allowed)}/by-${nameOf(who)}`;
      for (const path of ['/events', '/venues'])
        await s.post(
          path,
          path === '/events'
            ? newEvent({ image: at, venue: { venue: 'X', image: `${at}2` } })
            : { venue: 'Y', image: at },
          who,
        );
      await s.patch('/events/1', { image: `${at}3` }, who);
      await s.get('/events', { image: at }, who);
      assert.equal(seen.length > before, may);
    });
  }

  test('an address is fetched once, and the reason of a refusal is the same for all', async () => {
    const at = `http://127.0.0.1:${portOf(allowed)}/once.png`;
    const before = seen.length;
    const ids = [(await ask(at)).json.image.id, (await ask(at)).json.image.id];
    assert.equal(ids[0], ids[1]);
    assert.equal(seen.length, before + 1);
    // Another's picture may be one that nobody is to see yet, and its words are another's, too.
    await must(s.patch(`/media/${ids[0]}`, { alt_text: 'Mine alone' }, 'admin'), 200);
    const theirs = (await ask(at, 'editor')).json.image;
    assert.notEqual(theirs.id, ids[0]);
    assert.ok(!JSON.stringify(theirs).includes('Mine alone'));
    assert.equal(seen.length, before + 2);
    assert.deepEqual(uncaught, [], 'nothing that was fetched may end the server');
    const reasons = new Set<string>();
    for (const url of [
      `http://127.0.0.1:${portOf(inner)}/`,
      'http://10.0.0.1/',
      `http://127.0.0.1:${portOf(allowed)}/html`,
      `http://127.0.0.1:${portOf(allowed)}/status?code=401`,
      'http://nosuchhost.invalid/',
    ])
      reasons.add((await ask(url)).json.data.params.image);
    assert.equal(reasons.size, 1);
  });
});
