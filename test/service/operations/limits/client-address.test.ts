import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { clientAddress, isProxy } from '../../../../src/service/operations/limits/client-address.js';

describe('the caller behind an address (rule: rate-limit)', () => {
  test.each([
    ['10.1.2.3', '10.1.2.3'],
    [' 10.1.2.3 ', '10.1.2.3'],
    ['10.1.2.3:5678', '10.1.2.3'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::FFFF:10.1.2.3', '10.1.2.3'],
    ['::ffff:101:101', '1.1.1.1'],
    ['0:0:0:0:0:ffff:a01:203', '10.1.2.3'],
    ['[::ffff:101:101]:80', '1.1.1.1'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['::ffff:0:101:101', '0:0:0:0::/64'],
    ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000:ffff::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', undefined],
    ['', undefined],
    [undefined, undefined],
    ['999.1.1.1', undefined],
    ['_hidden', undefined],
  ])('the address %j identifies the caller %j', (text, address) => {
    expect(clientAddress(text)).toBe(address);
  });
});

test.each([
  ['10.0.0.0/8', true],
  ['10.0.0.1', true],
  ['::1', true],
  ['fd00::/8', true],
  ['loopback', true],
  ['uniquelocal', true],
  ['10.0.0.0/33', false],
  ['0.0.0.0/0', false],
  ['::/0', false],
  ['::ffff:10.0.0.0/104', true],
  ['10.0.0.0/', false],
  ['10.0.0.0/8/8', false],
  ['fd00::/129', false],
  ['true', false],
  ['proxy.example', false],
  ['', false],
])('isProxy(%j) is %j, and Express accepts every text for which it is true (rule: rate-limit)', (text, is) => {
  expect(isProxy(text)).toBe(is);
  if (is) express().set('trust proxy', [text]);
});
