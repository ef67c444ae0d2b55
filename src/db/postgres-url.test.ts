import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressProblem, hostsIn } from './postgres-url.js';

test('each way to ask for a checked encryption is the strictest, and no warning is given', async () => {
  const warned: string[] = [];
  const note = ({ message }: Error): void => void warned.push(message);
  process.on('warning', note);
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    const [host] = hostsIn(`postgres://u:p@h/k?sslmode=${mode}&prepare=false`);
    assert.deepEqual(host?.config.ssl, {}, mode);
    assert.equal(host?.named, false);
  }
  assert.equal(hostsIn('postgres://u:p@h/k?sslmode=disable')[0]?.config.ssl, false);
  assert.deepEqual(hostsIn('postgres://u:p@h/k?sslmode=no-verify')[0]?.config.ssl, { rejectUnauthorized: false });
  assert.equal(hostsIn('postgres://u:p@h/k')[0]?.config.ssl, undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('warning', note);
  assert.deepEqual(warned, []);
});

test('a password that is not encoded is told, not taken for a host', () => {
  for (const url of ['postgres://u:p@ss/w@h/k', 'postgres://u:p/w@h:5432/k'])
    assert.match(addressProblem(url) ?? '', /^has an @ or \/ in its user or password/, url);
  for (const url of ['postgres://u:p%40ss%2Fw@h/k', 'postgres://u@h,i:5433/k?options=-c%20x@y', 'postgres://h/k'])
    assert.equal(addressProblem(url), undefined, url);
});
