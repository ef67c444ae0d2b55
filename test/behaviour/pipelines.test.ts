import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';
import { bytesOf } from '../tools/wire.js';

/** Requests that are sent before the answers to those before them have come, and bytes that are none. */
behaviour('requests behind others on one connection', async (s) => {
  const { username, password } = s.users.admin;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const { port, pathname } = new URL(s.api);

  const request = (method: string, path: string, json?: unknown, headers: [string, string][] = []): Buffer => {
    const body = json === undefined ? '' : JSON.stringify(json);
    const about: [string, string][] = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(Buffer.byteLength(body))],
    ];
    const all: [string, string][] = [['Authorization', authorization], ...(body ? about : []), ...headers];
    return Buffer.concat([bytesOf({ method, target: pathname + path, headers: all }), Buffer.from(body)]);
  };
  /** All that comes back until the server closes the connection. `ends`: this side is closed at once. */
  const exchanged = async (bytes: Buffer, ends = false): Promise<string> => {
    const socket = net.connect(Number(port), '127.0.0.1');
    let all = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      all += chunk;
    });
    if (ends) socket.end(bytes);
    else socket.write(bytes);
    await once(socket, 'close');
    return all;
  };
  const statuses = (all: string): number[] => [...all.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, one]) => Number(one));
  const last = request('GET', '/events?per_page=1', undefined, [['Connection', 'close']]);

  test('are carried out one after the other', async () => {
    const { id } = await makeEvent(s, { title: 'Before' });
    const slow = { title: 'First', new_password: 'takes long to hash' };
    const all = await exchanged(
      Buffer.concat([
        request('PUT', `/events/${id}`, { title: 'Changed' }),
        request('GET', `/events/${id}`),
        request('PUT', `/events/${id}`, slow),
        request('PUT', `/events/${id}`, { title: 'Second' }),
        request('DELETE', `/events/${id}`),
        request('GET', `/events/${id}`),
        last,
      ]),
    );
    assert.deepEqual(statuses(all), [200, 200, 200, 200, 200, 403, 200], all);
    assert.equal(all.match(/"title":"Changed"/g)?.length, 2, 'the reader sees what was written before');
    const { title } = await must(s.patch(`/events/${id}`, { status: 'draft' }, 'admin'), 200);
    assert.equal(title, 'Second');
  });

  describe('what is not HTTP', () => {
    test('is refused after the answers before it', async () => {
      const venue = unique('Hall');
      const made = await exchanged(
        Buffer.concat([request('POST', '/venues', { venue }), Buffer.from('GARBAGE\r\n\r\n')]),
      );
      assert.deepEqual(statuses(made), [201, 404], made);
      const search = `/events?search=${encodeURIComponent(unique('nothing'))}`;
      assert.deepEqual(
        statuses(await exchanged(Buffer.concat([request('GET', search), Buffer.from('a\r\n\r\n')]))),
        [200, 404],
      );
      assert.deepEqual(statuses(await exchanged(Buffer.from('GARBAGE\r\n\r\n'))), [404]);
    });
    test('as a body is refused in its turn', async () => {
      const head = bytesOf({
        method: 'POST',
        target: `${pathname}/venues`,
        headers: [
          ['Authorization', authorization],
          ['Content-Type', 'application/json'],
          ['Transfer-Encoding', 'chunked'],
        ],
      });
      const broken = Buffer.concat([head, Buffer.from('no length\r\n')]);
      assert.deepEqual(statuses(await exchanged(broken)), [400]);
      assert.deepEqual(statuses(await exchanged(Buffer.concat([request('GET', '/venues'), broken]))), [200, 400]);
    });
  });

  test('who closes the own side after the request gets the answer', async () => {
    const venue = unique('Half');
    assert.deepEqual(statuses(await exchanged(request('POST', '/venues', { venue }), true)), [201]);
    const search = `/events?search=${encodeURIComponent(unique('half'))}`;
    assert.deepEqual(statuses(await exchanged(request('GET', search), true)), [200]);
  });

  test('a client that waits for leave to send its body gets it in its turn', async () => {
    const body = JSON.stringify({ venue: unique('Leave') });
    const head = request('POST', '/venues', undefined, [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(Buffer.byteLength(body))],
      ['Expect', '100-continue'],
      ['Connection', 'close'],
    ]);
    const socket = net.connect(Number(port), '127.0.0.1');
    let all = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      all += chunk;
      if (chunk.includes(' 100 Continue')) socket.write(body);
    });
    socket.write(Buffer.concat([request('GET', `/events?search=${encodeURIComponent(unique('leave'))}`), head]));
    await once(socket, 'close');
    assert.deepEqual(statuses(all), [200, 100, 201], all);
  });

  test('every header counts, however many there are', async () => {
    const many: [string, string][] = Array.from({ length: 1100 }, () => ['a', '']);
    const close: [string, string][] = [['Connection', 'close']];
    const hosts: [string, string][] = [['Host', 'one.example'], ...many, ...close, ['Host', 'other.example']];
    const wrong = request('GET', '/events', undefined, hosts);
    assert.deepEqual(statuses(await exchanged(wrong)), [400]);
  });

  test('a number that caches ignore takes no place of another parameter', async () => {
    const soon = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await makeEvent(s, { title: unique('Found'), start_date: `${soon} 10:00`, end_date: `${soon} 11:00` });
    const pairs = `${'a&'.repeat(1999)}search=${encodeURIComponent(unique('nowhere'))}`;
    const [with_, without] = [`/events?_=1&${pairs}`, `/events?${pairs}`];
    for (let n = 0; n < 4; n++) await s.get(with_);
    assert.equal((await s.get(without)).json.total, 0);
  });
});
