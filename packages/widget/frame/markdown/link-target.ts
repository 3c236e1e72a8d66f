import { visible } from '../text/visible.ts';

export interface LinkTarget {
  /** An absolute, normalized URL without user name and password. */
  readonly href: string;
  /** The ASCII host and port, the mail address, or the telephone number. */
  readonly address: string;
  /** `true` if the URL can be mistaken for another URL, because the URL has a user name or non-ASCII letters. */
  readonly misleads: boolean;
}

/**
 * Parses the target of a link with the browser's URL parser (https://url.spec.whatwg.org/). Returns `null` for
 * relative links and for schemes other than http, https, mailto and tel. Drops the query of a mail link.
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
      return { href: url.href, address: url.host, misleads };
    }
    case 'mailto:':
    case 'tel:': {
      const address = decoded(url.pathname);
      if (!(url.protocol === 'tel:' ? NUMBER : MAIL).test(address)) return null;
      return {
        href: url.protocol + url.pathname,
        address,
        misleads: IN_OTHER_LETTERS.test(address),
      };
    }
    default:
      return null;
  }
}

/**
 * Reports whether a link must show its real target. This is the case if the text of the link names a different address
 * or the target is misleading.
 */
export function isDisguised(text: string, { href, address, misleads }: LinkTarget): boolean {
  if (misleads) return true;
  const shown = visible(text).normalize('NFKC').replaceAll('。', '.').toLowerCase();
  if (href.startsWith('tel:') && digits(shown).length > 4 && digits(shown) !== digits(address))
    return true;
  const isMail = href.startsWith('mailto:');
  return shown
    .split(/\s+/)
    .filter((word) => ADDRESS.test(word))
    .map((word) => word.replace(AROUND, ''))
    .some((word) => (isMail ? mailIn(word) : hostIn(word)) !== bare(address.toLowerCase()));
}

const IN_OTHER_LETTERS = /(?:^|[.@])xn--|[^!-~]/i;
const MAIL = /^[^\s@,;<>"]+@[^\s@,;<>"]+$/;
const NUMBER = /^[+\d][\d\s().\-/]*$/;
/** Matches text that looks like an address: a scheme, an `@`, a domain name, an IPv4 address. */
const ADDRESS = /:\/|@|[\p{L}\p{N}_-]\.\p{L}[\p{L}\p{M}\p{N}-]|(?:\d{1,3}\.){3}\d/u;
const AROUND = /^[("'<«„“‘]+|[)"'>»“”’.,;:!?]+$/g;

/** Returns the host as written, including any user name. A result with a user name differs from every host. */
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
