import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { installed } from '../support/tools.ts';

const SCHEMATHESIS = installed('schemathesis');
const SKIPPED =
  SCHEMATHESIS === null
    ? 'Schemathesis is missing (scripts/prepare-tests.sh chaos)'
    : !FULL && 'runs in npm run test:chaos';

const SECONDS = 600;
const EXAMPLES = 30;
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
];
/** Operations that Schemathesis does not call, with the reason. */
const EXCLUDED: Readonly<Record<string, string>> = {
  signOut: 'ends the session of the run',
  endSession: 'may end the session of the run',
  changePassword: 'ends other sessions, and verifies a password with each request',
  startSecondFactor: 'verifies a password with each request',
  disableSecondFactor: 'verifies a password with each request',
  changeUser: 'may disable the account of the run',
  endUserSessions: 'may end the session of the run',
  deleteSpace: 'deletes the space to which all other requests refer',
  deleteBot: 'deletes the bot to which all other requests refer',
  deleteMember: 'may remove the account of the run',
};

interface Target {
  readonly url: string;
  readonly credential: string;
  readonly spaceId: string;
  readonly botId: number;
}

/** Sends generated requests, and returns the exit code and the report of Schemathesis. */
function generateRequests(directory: string, { url, credential, spaceId, botId }: Target) {
  const config = join(directory, 'schemathesis.toml');
  // Without these values, nearly all requests would be for spaces that do not exist.
  writeFileSync(
    config,
    `[parameters]\n"path.spaceId" = "${spaceId}"\n"query.spaceId" = "${spaceId}"\n"path.botId" = ${botId}\n`,
  );
  const parameters = [
    ...['-m', 'schemathesis.cli', '--config-file', config, 'run', `${url}/openapi.json`],
    ...['-H', `Authorization: Bearer ${credential}`, '--checks', CHECKS.join(',')],
    ...['--phases', 'examples,coverage,fuzzing', '--seed', String(SEED)],
    ...['--max-time', String(SECONDS), '--max-examples', String(EXAMPLES)],
    ...['--request-timeout', '30', '--continue-on-failure', '--no-shrink', '--no-color'],
    ...['--suppress-health-check', 'all', '--warnings', 'off'],
    ...Object.keys(EXCLUDED).flatMap((id) => ['--exclude-operation-id', id]),
  ];
  return new Promise<{ code: number; report: string }>((resolve) => {
    execFile(
      join(SCHEMATHESIS ?? '', 'bin/python'),
      parameters,
      { cwd: directory, maxBuffer: 2 ** 28, timeout: 3000 * SECONDS },
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
        resolve({ code, report: `${stdout}${stderr}` });
      },
    );
  });
}

describe('responses to generated requests conform to the API description', {
  skip: SKIPPED,
}, () => {
  for (const name of ['an administrator', 'an API key'] as const)
    test(`with the credential of ${name}`, async (t) => {
      t.diagnostic(`seed ${SEED}`);
      using data = temporaryDirectory();
      using directory = temporaryDirectory();
      await using service = await startService(data.path);
      const client = clientOf(service.url);
      const session = await signIn(client);
      const { id: spaceId, botId } = await makeSpace(client, session);
      const credential = name === 'an API key' ? await makeKey(client, session, spaceId) : session;
      const { code, report } = await generateRequests(directory.path, {
        url: service.url,
        credential,
        spaceId,
        botId,
      });
      const cases = /^ *(\d+) generated/m.exec(report)?.[1];
      assert.equal(code, 0, report);
      assert.ok(Number(cases) > 100, report);
      t.diagnostic(`${cases} requests`);
      const answer = await client('/spaces', { as: session });
      assert.equal(answer.status, 200, 'the session was not ended');
    });
});
