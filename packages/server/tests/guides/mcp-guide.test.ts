import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openGuide, skipWithout } from '../support/guides/guide.ts';
import { GuideShell, guideVariables } from '../support/guides/shell.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

const started = await startChildWithSpace();
after(() => started[Symbol.asyncDispose]());
const { client, session, space } = started;

test('the commands of the guide about MCP find the documents of the link', {
  skip: skipWithout('bash', 'curl', 'jq'),
}, async () => {
  const guide = openGuide('mcp');
  const shell = new GuideShell(await guideVariables(started));
  for (const audience of ['customers', 'staff'])
    await addDocument(client, session, space.id, {
      fileName: `${audience}.txt`,
      text: `A refund for ${audience} takes five days.`,
      metadata: { audience },
    });
  await shell.run(guide.next('sh'));
  const found = JSON.parse(await shell.run(guide.next('sh'))) as { text: string }[];
  assert.deepEqual(
    found.map(({ text }) => text),
    ['A refund for customers takes five days.'],
  );
});
