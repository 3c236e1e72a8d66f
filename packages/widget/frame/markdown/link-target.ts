import { visible } from '../text/visible.ts';

export interface LinkTarget {
  /** Absolute and normalized, without user name and password. */
  readonly href: string;
  /** A host in ASCII with its port, a mail address, or a telephone number. */
  readonly place: string;
  /** Reports whether the address can pass for another one: it has a user name or non-ASCII letters. */
  readonly misleads: boolean;
}

/**
 * Resolves the target of a link in an answer with the browser's URL parser (https://url.spec.whatwg.org/).
 * Returns `null` for relative links and for schemes other than http, https, mailto and tel. Keeps only the address
 * of a mail link.
 */
export function targetOf(href: string): LinkTarget | null {
  const url = URL.canParse(href) ? new URL(href) : null;
  switch (url?.protocol) {
    case 'http:':
    case 'https:': {
      const misleads =
        url.username !== '' || url.password !== '' || IN_OTHER_LETTERS.test(url.host);
      url.username = '';
      url.password = '';
      return { href: url.href, place: url.host, misleads };
    }
    case 'mailto:':
    case 'tel:': {
      const place = decoded(url.pathname);
      if (!(url.protocol === 'tel:' ? NUMBER : MAIL).test(place)) return null;
      return { href: url.protocol + url.pathname, place, misleads: IN_OTHER_LETTERS.test(place) };
    }
    default:
      return null;
  }
}

/** Reports whether a link must show its target, because its text names another address or its own can mislead. */
export function isDisguised(text: string, { href, place, misleads }: LinkTarget): boolean {
  if (misleads) return true;
  const shown = visible(text).normalize('NFKC').replaceAll('。', '.').toLowerCase();
  if (href.startsWith('tel:') && digits(shown).length > 4 && digits(shown) !== digits(place))
    return true;
  const isMail = href.startsWith('mailto:');
  return shown
    .split(/\s+/)
    .filter((word) => ADDRESS.test(word))
    .map((word) => word.replace(AROUND, ''))
    .some((word) => (isMail ? mailIn(word) : hostIn(word)) !== bare(place.toLowerCase()));
}

const IN_OTHER_LETTERS = /(?:^|[.@])xn--|[^!-~]/i;
const MAIL = /^[^\s@,;<>"]+@[^\s@,;<>"]+$/;
const NUMBER = /^[+\d][\d\s().\-/]*$/;
/** Text that looks like an address: a scheme, an `@`, a domain name, an IPv4 address. */
const ADDRESS = /:\/|@|[\p{L}\p{N}_-]\.\p{L}[\p{L}\p{M}\p{N}-]|(?:\d{1,3}\.){3}\d/u;
const AROUND = /^[("'<«„“‘]+|[)"'>»“”’.,;:!?]+$/g;

/** Returns the host as written, including a user name, which never equals a host. */
function hostIn(word: string): string {
  return bare(/^(?:[a-z][a-z\d+.-]*:\/+)?([^/\\?#]*)/.exec(word)?.[1] ?? '');
}

function mailIn(word: string): string {
  return word.replace(/^mailto:/, '');
}

function bare(host: string): string {
  return host.replace(/^www\./, '').replace(/\.$/, '');
}

function digits(text: string): string {
  return text.replace(/\D/g, '');
}

function decoded(path: string): string {
  try {
    return visible(decodeURIComponent(path));
  } catch {
    return path;
  }
}
