import { documentSettings } from '../../packages/server/src/platform/settings/index.ts';

const INTRODUCTION = `# Configuration

Gatehouse is configured only by environment variables. It reads and validates all of them at the
start; if any is invalid, it prints one line per problem and exits with code 78.

- An empty variable counts as not set.
- An unknown \`GATEHOUSE_*\` variable is a problem too, so that a misspelt one is not silently ignored.
  Names that start with \`GATEHOUSE_TEST_\` are reserved for the tests.
- Secret values are never printed, neither in log lines nor in problems.
- On Kubernetes, set \`enableServiceLinks: false\` if a service is named \`gatehouse\`. Otherwise Kubernetes
  sets variables such as \`GATEHOUSE_PORT=tcp://…\`.
`;

const KEYS = `## The secret and the keys

All encrypted data in the database (the secrets of event sources and subscriptions, and the keys that sign widget sessions)
is encrypted with keys that are derived from one secret of 32 random bytes. \`GATEHOUSE_SECRET\` provides it. With SQLite and
without that setting, the first start creates it in \`keys/secret\` in the data directory, readable only by its owner. The service
does not start if others may read that file or if it is damaged, and never overwrites it.

Back up the secret apart from the database, and protect it like the data. The database stores a check value of its secret, and the
service does not start with a different one. If you lose the secret, \`npm run gatehouse -- replace-secret\` continues with a new one:
open widget sessions then have to exchange their link again, and every event source and subscription needs a new secret.

All replicas share the key that signs widget sessions. It is rotated automatically every 90 days without ending any session.
\`npm run gatehouse -- rotate-signing-key\` rotates it now; with \`--at-once\` all sessions signed before are rejected.
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
