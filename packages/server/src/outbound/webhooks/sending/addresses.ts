import { BlockList, isIP } from 'node:net';

/** Not public by the registries of IANA for special purposes (RFC 6890), and what was public once. */
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
/** Everything public in IPv6 lies in here … */
const GLOBAL_IPV6 = '2000::/3';
/** … except these; of them 2001::/32 (Teredo) and 2002::/16 (6to4) hide an IPv4 address. */
const PRIVATE_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
/** An IPv4 address in their last 32 bits is what is really connected to: mapped, and NAT64 (RFC 6052). */
const WRAPPED_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'];

/** Whether an address may be connected to. */
export type MayConnect = (address: string) => boolean;

/** @param allowed addresses and networks that may be connected to although they are not public. */
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

/** The address, and the IPv4 address inside of it where there is one. None for what is no address. */
function formsOf(address: string): string[] {
  // With a zone (`fe80::1%eth0`) it is one of a link.
  if (isIP(address) === 0 || address.includes('%')) return [];
  if (isIP(address) === 4 || !isIn(WRAPPED, address)) return [address];
  return [address, lastFourBytes(address)];
}

function lastFourBytes(address: string): string {
  // As a URL it is written in groups of hexadecimal digits alone.
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
