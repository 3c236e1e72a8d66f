import Type from 'typebox';
import { Bool, Nullable, OneOf, Str, Timestamp, Uuid } from '../common.ts';
import { json, operation, PERMISSIONS } from '../operation.ts';

const Bytes = (description: string) => Type.Integer({ description });

export const Replica = Type.Object({
  id: Uuid('Identifies a run of the process.'),
  host: Str('Host name of the machine or container.'),
  version: Str('Version of the service.'),
  startedAt: Timestamp('Start of the process.'),
  jobs: Type.Array(Type.String(), {
    description: 'Background jobs that the replica holds. Each job is held by at most one replica.',
  }),
  isSelf: Bool('`true`: the replica that answers this request.'),
});

export const Backup = Type.Object({
  finishedAt: Timestamp('Time at which the backup was complete.'),
  bytes: Bytes('Size of the database in the backup.'),
  directory: Str('Directory of the backup on the server.'),
  isChecked: Bool('`true`: the integrity of the backup was checked.'),
});

export const EffectiveSetting = Type.Object({
  name: Str('Name of the environment variable.'),
  value: Nullable(
    Str(
      'Configured or default value, without passwords and query strings of URLs. Null for secrets, and for optional settings that are not set.',
    ),
  ),
  isSet: Bool('`false`: the default applies.'),
  isSecret: Bool('`true`: the value is never shown.'),
});

export const InstallationStatus = Type.Object({
  version: Str('Version of the replica that answers this request.'),
  store: Type.Object({
    engine: OneOf(['sqlite', 'postgresql']),
    version: Str('Version of SQLite or of the PostgreSQL server.'),
    bytes: Bytes('Size of the database.'),
  }),
  replicas: Type.Array(Replica, {
    description:
      'Running replicas, oldest first. A killed replica is listed for up to six seconds.',
  }),
  disk: Nullable(
    Type.Object(
      {
        directory: Str('Data directory.'),
        freeBytes: Bytes('Space that the service can use.'),
        totalBytes: Bytes('Size of the file system.'),
      },
      { description: 'Disk of the data directory. Null with PostgreSQL.' },
    ),
  ),
  lastBackup: Nullable(Backup),
  settings: Type.Array(EffectiveSetting, {
    description: 'All settings of the replica that answers this request.',
  }),
});
export type InstallationStatus = Type.Static<typeof InstallationStatus>;

export const showInstallation = operation({
  id: 'showInstallation',
  feature: 'access',
  method: 'GET',
  path: '/installation',
  summary: 'Show the state of the installation',
  description:
    'For operators: version, store, running replicas and their background jobs, disk, last backup and effective settings. `lastBackup` is the last backup that the command `backup` completed; it is null with PostgreSQL, whose own tools make the backups.',
  permission: PERMISSIONS.administrator,
  credentials: ['session'],
  responses: {
    200: json('The state.', InstallationStatus, {
      version: '0.1.0',
      store: { engine: 'sqlite', version: '3.50.4', bytes: 48_234_496 },
      replicas: [
        {
          id: '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40',
          host: 'gatehouse-1',
          version: '0.1.0',
          startedAt: '2026-05-03T09:30:00.000Z',
          jobs: ['indexing', 'retention'],
          isSelf: true,
        },
      ],
      disk: { directory: '/data', freeBytes: 21_474_836_480, totalBytes: 42_949_672_960 },
      lastBackup: {
        finishedAt: '2026-05-03T03:00:12.000Z',
        bytes: 47_185_920,
        directory: '/backup/2026-05-03',
        isChecked: true,
      },
      settings: [
        { name: 'GATEHOUSE_PORT', value: '8080', isSet: false, isSecret: false },
        { name: 'GATEHOUSE_MODEL_KEY', value: null, isSet: true, isSecret: true },
      ],
    }),
  },
  errors: [401, 403],
});
