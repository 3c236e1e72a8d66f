import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressRules } from './addresses.ts';

const PUBLIC = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '2001:200::1',
  '::ffff:1.1.1.1',
  '::ffff:101:101',
  '64:ff9b::101:101',
];

const PRIVATE = [
  // Unspecified, broadcast and reserved addresses.
  '0.0.0.0',
  '0.1.2.3',
  '::',
  '255.255.255.255',
  '240.0.0.1',
  // Loopback.
  '127.0.0.1',
  '127.255.255.255',
  '::1',
  // Private, carrier-grade NAT, link-local and unique local addresses.
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.0.1',
  'fc00::1',
  'fdff::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  // Cloud metadata services.
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  'fd00:ec2::254',
  // Multicast, documentation, benchmarking and protocol assignments.
  '224.0.0.1',
  '239.255.255.255',
  'ff02::1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '192.0.0.1',
  '192.88.99.1',
  '2001:db8::1',
  '3fff::1',
  '100::1',
  '5f00::1',
  // IPv4 in IPv6: mapped, compatible, translated, 6to4 and Teredo.
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2002:0a00:0001::1',
  '2001:0:7f00:1::',
  // Strings that are not addresses.
  '',
  'localhost',
  '1.1.1',
  '01.1.1.1',
  '1.1.1.1 ',
];

test('allows public addresses only', () => {
  const mayConnect = createAddressRules([]);
  for (const address of PUBLIC) assert.ok(mayConnect(address), address);
  for (const address of PRIVATE) assert.ok(!mayConnect(address), address);
});

test('allows the configured addresses in every notation and no others', () => {
  const mayConnect = createAddressRules(['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32']);
  for (const address of [
    '10.1.2.3',
    '127.0.0.1',
    'fd00:1::5',
    '::ffff:10.1.2.3',
    '64:ff9b::a01:203',
  ])
    assert.ok(mayConnect(address), address);
  for (const address of ['10.2.0.1', '127.0.0.2', 'fd00:2::5', '::ffff:10.2.0.1', '::1'])
    assert.ok(!mayConnect(address), address);
  assert.ok(mayConnect('1.1.1.1'));
});
