import { documentSettings } from '../../packages/server/src/platform/settings/index.ts';

const INTRODUCTION = `# Configuration

Environment variables are the only configuration of Gatehouse. The service reads and validates all of them when it
starts. If any is invalid, it prints one line per problem and exits with code 78.

- An empty variable counts as not set.
- An unknown \`GATEHOUSE_*\` variable is an error, because a misspelt setting would otherwise be ignored silently.
  Names that start with \`GATEHOUSE_TEST_\` are reserved for tests.
- Values of secret settings never appear in the log or in error messages.
- On Kubernetes, set \`enableServiceLinks: false\` if a service is named \`gatehouse\`. Otherwise Kubernetes
  sets variables such as \`GATEHOUSE_PORT=tcp://…\`.
`;

const KEYS = `## The secret and the keys

The database contains encrypted data: the secrets of event sources and subscriptions, and the keys that sign widget sessions.
The encryption keys are derived from one secret of 32 random bytes, \`GATEHOUSE_SECRET\`. With SQLite and without that setting,
the first start creates the secret in \`keys/secret\` in the data directory, readable only by its owner. The service
does not start if other users can read that file or if the file is damaged, and never overwrites the file.

Store a copy of the secret separately, and protect it like the data
([back up and restore](operations.md#back-up-and-restore)). The database stores a check value of the secret, and the service does not
start with a different secret. If the secret is lost, the encrypted data cannot be recovered. \`npm run gatehouse -- replace-secret\` then
[sets a new secret](operations.md#replace-the-secret-of-the-installation).

All replicas share the key that signs widget sessions. The key is rotated automatically every 90 days without ending any session.
\`npm run gatehouse -- rotate-signing-key\` starts a rotation now: the new key signs after ten minutes. With \`--at-once\` it signs immediately,
and sessions that were signed with earlier keys are rejected.

[Operations](operations.md#rotate-keys-and-secrets) describes all rotations.
`;

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
