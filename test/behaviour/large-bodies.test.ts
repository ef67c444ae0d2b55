import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { behaviour } from '../support/rows.js';

/** Whoever sends everything before it reads, as many clients and proxies do, is told why it was refused. */
behaviour(
  'bodies that are too large',
  (s) => {
    for (const [at, type] of [
      ['/media', 'image/png'],
      ['/events', 'application/json'],
      ['/events', 'text/plain'],
    ] as const) {
      for (const length of ['told before', 'not told before']) {
        test(`${type} to ${at}, its length ${length}`, async () => {
          const { username, password } = s.users.author;
          const parts = Array.from({ length: 40 }, () => Buffer.alloc(100_000, 'x'));
          const sending = http.request(s.api + at, {
            method: 'POST',
            auth: `${username}:${password}`,
            headers: { 'content-type': type, ...(length === 'told before' ? { 'content-length': 4_000_000 } : {}) },
          });
          const answered = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
            sending.on('error', reject);
            sending.on('response', async (answer) => {
              let text = '';
              for await (const part of answer) text += part;
              resolve({ status: answer.statusCode, text });
            });
          });
          for (const part of parts) {
            sending.write(part);
            await sleep(5);
          }
          sending.end();
          const { status, text } = await answered;
          assert.equal(status, 413);
          assert.match(JSON.parse(text).code, /too-large$/);
        });
      }
    }
  },
  { KALENDS_MEDIA_LIMIT: '2m', KALENDS_BODY_LIMIT: '1m' },
);
