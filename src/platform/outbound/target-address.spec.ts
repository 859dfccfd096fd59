import { isAllowedAddress, type TargetPolicy } from './target-address.js';

const STRICT: TargetPolicy = { environment: 'sandbox', allowPrivate: false };
const OPEN: TargetPolicy = { environment: 'sandbox', allowPrivate: true };
const LIVE: TargetPolicy = { environment: 'live', allowPrivate: true };

const PUBLIC = [
  ['1.1.1.1', 'a public resolver'],
  ['8.8.8.8', 'a public resolver'],
  ['100.128.0.1', 'just above the carrier-grade NAT range'],
  ['172.32.0.1', 'just above the private range'],
  ['2606:4700:4700::1111', 'a public resolver on IPv6'],
  ['2a00:1450:4001:81b::200e', 'a public site on IPv6'],
];

const PRIVATE = [
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['192.168.0.1', 'private'],
  ['::1', 'loopback'],
  ['fc00::1', 'unique local'],
  ['fd12:3456::1', 'unique local'],
];

const NEVER = [
  ['0.0.0.0', 'this host'],
  ['0.1.2.3', 'this network'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['169.254.1.1', 'link-local'],
  ['169.254.169.254', 'cloud metadata'],
  ['192.0.0.1', 'protocol assignments'],
  ['192.0.2.1', 'documentation'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.5', 'documentation'],
  ['198.18.0.1', 'benchmarks'],
  ['192.88.99.1', '6to4 relay'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::7f00:1', 'IPv4-compatible loopback'],
  ['::ffff:7f00:1', 'mapped loopback'],
  ['::ffff:127.0.0.1', 'mapped loopback'],
  ['::ffff:8.8.8.8', 'mapped public address'],
  ['::ffff:0:7f00:1', 'translated loopback'],
  ['64:ff9b::7f00:1', 'NAT64 to loopback'],
  ['64:ff9b::a9fe:a9fe', 'NAT64 to metadata'],
  ['64:ff9b:1::7f00:1', 'local NAT64'],
  ['2002:7f00:1::', '6to4 to loopback'],
  ['2001::1', 'Teredo'],
  ['2001:2::1', 'benchmarks'],
  ['2001:20::1', 'ORCHID'],
  ['2001:db8::1', 'documentation'],
  ['3fff::1', 'documentation'],
  ['5f00::1', 'segment routing'],
  ['100::1', 'discard'],
  ['100:0:0:1::1', 'dummy prefix'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local with a zone'],
  ['2606:4700:4700::1111%lo', 'a public address with a zone'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['4000::1', 'not allocated'],
];

const NOT_ADDRESSES = [
  '',
  '127.1',
  '0x7f.1',
  '0177.0.0.1',
  '2130706433',
  '127.0.0.1.',
  '[::1]',
  'localhost',
  '8.8.8.8/0',
];

describe('isAllowedAddress', () => {
  it.each(PUBLIC)('[J-127] allows %s (%s) under every policy', (address) => {
    for (const policy of [STRICT, OPEN, LIVE]) expect(isAllowedAddress(address, policy)).toBe(true);
  });

  it.each(PRIVATE)('[J-127] allows %s (%s) only to a sandbox that is opened', (address) => {
    expect(isAllowedAddress(address, OPEN)).toBe(true);
    expect(isAllowedAddress(address, STRICT)).toBe(false);
    expect(isAllowedAddress(address, LIVE)).toBe(false);
  });

  it.each(NEVER)('[J-127] refuses %s (%s) under every policy', (address) => {
    for (const policy of [STRICT, OPEN, LIVE]) expect(isAllowedAddress(address, policy)).toBe(false);
  });

  it.each(NOT_ADDRESSES)('[J-127] refuses "%s", which is not an address in its one form', (address) => {
    for (const policy of [STRICT, OPEN, LIVE]) expect(isAllowedAddress(address, policy)).toBe(false);
  });
});
