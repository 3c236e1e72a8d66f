import { documentSettings } from '../../packages/server/src/platform/settings/index.ts';

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

const KEYS = `## The secret and the keys

Everything that is encrypted in the database (secrets of event sources and of subscriptions, the keys that sign widget
sessions) is encrypted with keys that are derived from one secret of 32 random bytes. It is \`GATEHOUSE_SECRET\`; with SQLite
and without that setting it is \`keys/secret\` in the data directory, which the first start makes, readable by its owner alone.
The service refuses to start when others may read that file or when it is damaged, and never overwrites it.

Back the secret up apart from the database, and keep it as secret as what it protects. The database knows by a check value whether it is
given the right one, and the service does not start with another. When it is lost,
\`npm run gatehouse -- replace-secret\` goes on with a new one: open widget sessions then have to exchange
their link again, and every event source and subscription needs a new secret.

Widget sessions are signed with a key that all replicas share and that changes by itself every 90 days, without ending any session.
\`npm run gatehouse -- rotate-signing-key\` changes it now; with \`--at-once\` every session signed before is refused.
`;

/** Returns the text of `docs/configuration.md`. */
export function renderConfiguration(): string {
  return [INTRODUCTION, '## Settings\n', ...documentSettings().map(renderSetting), KEYS].join('\n');
}

function renderSetting(setting: ReturnType<typeof documentSettings>[number]): string {
  return [
    `### ${setting.variable}\n`,
    `${setting.description}${setting.secret ? ' Secret.' : ''}\n`,
    `- Value: ${setting.value}`,
    `- Default: ${setting.default}\n`,
  ].join('\n');
}
