import type { Kind, Parsed } from './kinds.ts';

const MAX_SUBJECT_LENGTH = 200;
const SUBJECT_PLACEHOLDER = /\{(?:spaceId|type|source)\}/g;
/** What may stand in a token of a subject besides placeholders. */
const TOKEN = /^[\x21-\x7e]+$/;
const NOT_IN_TOKEN = /[*>{}]/;

const MAX_TOPIC_LENGTH = 249;
const UUID_LENGTH = 36;

/** Servers of one NATS cluster. Credentials have settings of their own, since a URL is easily shown. */
export const natsServers: Kind<readonly string[]> = {
  words: '`nats://` or `tls://` URLs with host and port alone, separated by commas',
  secret: false,
  parse: (text) =>
    listOf(text, (entry) => {
      const url = URL.parse(entry);
      const isServer =
        url !== null &&
        /^(nats|tls):\/\/[^/?#@\\]+$/i.test(entry) &&
        url.hostname !== '' &&
        url.username + url.password + url.pathname + url.search + url.hash === '';
      return isServer
        ? { value: entry.toLowerCase() }
        : { problem: 'must be a URL such as nats://127.0.0.1:4222, without credentials and path' };
    }),
};

/** A subject of NATS with placeholders, which become one token each. */
export const natsSubject: Kind<string> = {
  words: `tokens separated by dots, up to ${MAX_SUBJECT_LENGTH} characters, with \`{spaceId}\`, \`{type}\` and \`{source}\` for what the event has`,
  secret: false,
  parse: (text) => {
    const tokens = text.replace(SUBJECT_PLACEHOLDER, 'x').split('.');
    const isSubject =
      text.length <= MAX_SUBJECT_LENGTH &&
      tokens.every((token) => TOKEN.test(token) && !NOT_IN_TOKEN.test(token));
    if (!isSubject)
      return {
        problem: `must be tokens of printable ASCII separated by dots, up to ${MAX_SUBJECT_LENGTH} characters, without * and >; placeholders are {spaceId}, {type} and {source}`,
      };
    return /^(\$|_INBOX\b)/.test(text)
      ? { problem: 'must not begin with $ or _INBOX, which NATS keeps for itself' }
      : { value: text };
  },
};

/** Some brokers of one Kafka cluster. */
export const kafkaBrokers: Kind<readonly string[]> = {
  words: '`host:port`, separated by commas',
  secret: false,
  parse: (text) =>
    listOf(text, (entry) => {
      const url = URL.parse(`kafka://${entry}`);
      const isBroker = url !== null && url.host === entry && url.port !== '' && url.hostname !== '';
      return isBroker
        ? { value: entry }
        : { problem: 'must be a host and a port such as kafka.example.com:9092' };
    }),
};

/** A topic of Kafka, perhaps one for each space. */
export const kafkaTopic: Kind<string> = {
  words: 'letters, digits, `.`, `_` and `-`, with `{spaceId}` for a topic for each space',
  secret: false,
  parse: (text) => {
    const topic = text.replaceAll('{spaceId}', '0'.repeat(UUID_LENGTH));
    return /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/.test(topic) && topic.length <= MAX_TOPIC_LENGTH
      ? { value: text }
      : {
          problem: `must be up to ${MAX_TOPIC_LENGTH} letters, digits, dots, underscores and hyphens; the placeholder is {spaceId}`,
        };
  },
};

/** A name or password by which a broker knows us. */
export const brokerCredential: Kind<string> = {
  words: 'text without control characters',
  secret: false,
  parse: (text) =>
    /^[^\p{Cc}]+$/u.test(text)
      ? { value: text }
      : { problem: 'must be text without control characters' },
};

function listOf<T>(text: string, read: (entry: string) => Parsed<T>): Parsed<readonly T[]> {
  const entries = text.split(',').map((entry) => read(entry.trim()));
  const wrong = entries.findIndex((entry) => 'problem' in entry);
  const first = entries[wrong];
  if (first !== undefined && 'problem' in first)
    return {
      problem: entries.length === 1 ? first.problem : `entry ${wrong + 1} ${first.problem}`,
    };
  return { value: entries.flatMap((entry) => ('value' in entry ? [entry.value] : [])) };
}
