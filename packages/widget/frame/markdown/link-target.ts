import { visible } from '../text/visible.ts';

export interface LinkTarget {
  /** Absolute, as the URL standard writes it, without a user name or password. */
  readonly href: string;
  /** Where it leads: a host in ASCII with its port, an address for mail, or a number. */
  readonly place: string;
  /** Whether it was written to be taken for another: with a user name, or in letters that ASCII does not have. */
  readonly misleads: boolean;
}

/**
 * Where a link in an answer leads, by the parser that a browser uses (https://url.spec.whatwg.org/), so
 * that nothing is judged by its spelling. Null for what is no link here: any scheme but http, https,
 * mailto and tel, and what is relative. Of a mail link the address alone is kept.
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

/** Whether a link must say where it leads: its text names another address, or its own misleads. */
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
/** What a reader takes for an address: a scheme, an @, a name with a dot and two letters behind it, four numbers. */
const ADDRESS = /:\/|@|[\p{L}\p{N}_-]\.\p{L}[\p{L}\p{M}\p{N}-]|(?:\d{1,3}\.){3}\d/u;
const AROUND = /^[("'<«„“‘]+|[)"'>»“”’.,;:!?]+$/g;

/** The host as it is written; with what stands before an @, which no host has. */
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
