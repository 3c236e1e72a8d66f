import { BlockList, isIP } from 'node:net';

/** Networks of the IANA special-purpose registry (RFC 6890), including networks that were removed from it. */
const PRIVATE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Contains all public IPv6 addresses. */
const GLOBAL_IPV6 = '2000::/3';
/** Private networks within `GLOBAL_IPV6`. 2001::/32 (Teredo) and 2002::/16 (6to4) contain an IPv4 address. */
const PRIVATE_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
/** Networks whose last 32 bits are the IPv4 address of the connection: IPv4-mapped addresses and NAT64 (RFC 6052). */
const WRAPPED_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'];

export type MayConnect = (address: string) => boolean;

/** @param allowed additional addresses and networks that are permitted. */
export function createAddressRules(allowed: readonly string[]): MayConnect {
  const exceptions = listOf(allowed);
  return (address) => {
    const forms = formsOf(address);
    if (forms.length === 0) return false;
    if (forms.some((form) => isIn(exceptions, form))) return true;
    return forms.every((form) => isPublic(form));
  };
}

const PRIVATE = listOf([...PRIVATE_IPV4, ...PRIVATE_IPV6]);
const GLOBAL = listOf([GLOBAL_IPV6]);
const WRAPPED = listOf(WRAPPED_IPV4);

function isPublic(address: string): boolean {
  if (isIn(PRIVATE, address)) return false;
  return isIP(address) === 4 || isIn(GLOBAL, address) || isIn(WRAPPED, address);
}

/** Returns the address and the IPv4 address that it contains, if any. Returns `[]` for an invalid address. */
function formsOf(address: string): string[] {
  // An address with a zone (`fe80::1%eth0`) is link-local.
  if (isIP(address) === 0 || address.includes('%')) return [];
  if (isIP(address) === 4 || !isIn(WRAPPED, address)) return [address];
  return [address, lastFourBytes(address)];
}

function lastFourBytes(address: string): string {
  // The URL parser converts every notation to groups of hexadecimal digits.
  const { hostname } = new URL(`http://[${address}]`);
  const [high = 0, low = 0] = hostname
    .slice(1, -1)
    .split(':')
    .slice(-2)
    .map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
