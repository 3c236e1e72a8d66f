import { declarations } from '../../packages/server/src/config/index.ts';

const INTRODUCTION = `# Configuration

Gatehouse is configured by environment variables alone. It reads and checks all of them at the
start; when something is wrong it prints one line for each problem and exits with code 78.

- An empty variable counts as one that is not set.
- A \`GATEHOUSE_*\` variable that is not listed here is a problem too, so that a misspelt one is not
  silently ignored. Names that begin with \`GATEHOUSE_TEST_\` are left to the tests.
- Secret values are never printed, in no log line and no problem.
- On Kubernetes, set \`enableServiceLinks: false\` where a service is named \`gatehouse\`: it would
  otherwise make variables such as \`GATEHOUSE_PORT=tcp://…\`.
`;

const KEYS = `## Keys in the data directory

The first start makes \`keys/session-signing.jwk.json\` (Ed25519, signs widget sessions) and
\`keys/secret\` (32 random bytes) in the data directory, readable by their owner alone. The service
refuses to start when others may read them or when one is damaged, and never overwrites them.

Back them up with the database, and keep the backup as secret as they are. A key file that is deleted is
made anew at the next start: without the first, open widget sessions have to exchange their link again;
without the second, everybody has to sign in again, and every event source needs a new secret.
`;

/** `docs/configuration.md`, from the declarations of the settings. */
export function renderConfiguration(): string {
  return [INTRODUCTION, '## Settings\n', ...settings(), KEYS].join('\n');
}

function settings(): string[] {
  return Object.values(declarations).map(({ variable, words, kind, default: text, ...more }) => {
    const secret = kind.secret ? ' Secret.' : '';
    const otherwise = more.defaultWords ?? (text === null ? 'none' : `\`${text}\``);
    return [
      `### ${variable}\n`,
      `${words}${secret}\n`,
      `- Value: ${kind.words}`,
      `- Default: ${otherwise}\n`,
    ].join('\n');
  });
}
