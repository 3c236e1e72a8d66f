import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Chat } from '../support/assistant/chat.ts';
import { openGuide, skipWithout } from '../support/guides/guide.ts';
import { GuideShell, guideVariables } from '../support/guides/shell.ts';
import { exchangeLink, makeLink } from '../support/provision.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

const started = await startChildWithSpace();
after(() => started[Symbol.asyncDispose]());
const { client, session, space } = started;
const variables = await guideVariables(started);

describe('the guides for administrators', {
  skip: skipWithout('bash', 'curl', 'jq', 'openssl'),
}, () => {
  test('"Manage access" adds an editor, sets budgets, repeats a request, and revokes links and a user', async () => {
    const guide = openGuide('manage-access');
    const shell = new GuideShell(variables);
    assert.match(await shell.run(guide.next('sh')), /"role":"editor"/);
    const limited = await shell.run(guide.next('sh'));
    assert.match(limited, /"budget":\{"tokensPerDay":500000,.*"budget":\{"tokensPerDay":20000\}/);
    assert.match(await shell.run(guide.next('sh')), /"sub":"user-7"/);
    for (let link = 0; link < 2; link++)
      await makeLink(client, variables.GATEHOUSE_KEY, { sub: 'customer-42' });
    guide.compareNext(await shell.json(guide.next('sh')));
    assert.equal((await shell.json(guide.next('sh')))['disabled'], true);
  });

  test('"Read what users ask" lists conversations and questions, and adds an answer', async () => {
    const guide = openGuide('conversations');
    const shell = new GuideShell(variables);
    assert.equal((await shell.json(guide.next('sh')))['conversationAccess'], 'nobody');
    const list = guide.next('sh');
    assert.equal((await shell.json(list))['code'], 'access.forbidden');
    await client(`/spaces/${space.id}`, {
      method: 'PATCH',
      as: session,
      body: { conversationAccess: 'owners' },
    });
    assert.deepEqual((await shell.json(list))['items'], []);
    const link = await makeLink(client, variables.GATEHOUSE_KEY, { sub: 'customer-42' });
    const widget = await exchangeLink(client, link.token);
    await new Chat(started.service.url, widget).ask('Do you ship to Norway?');
    assert.equal(await shell.run(guide.next('sh')), '1\n"Do you ship to Norway?"\n');
    const answer = await shell.json(guide.next('sh'));
    assert.equal(answer['title'], 'Do you ship to Norway?');
  });

  test('"Hand conversations over to people" configures a handoff, answers, ends it and turns on events', async () => {
    const guide = openGuide('handoff');
    const shell = new GuideShell(variables);
    const bot = await shell.json(guide.next('sh'));
    assert.equal(bot['contact'], 'Write to help@shop.example.');
    assert.deepEqual((await shell.json(guide.next('sh')))['handoff'], {});
    const link = await makeLink(client, variables.GATEHOUSE_KEY, { sub: 'customer-43' });
    const as = await exchangeLink(client, link.token);
    const asked = await client('/chat/handoff', { as, body: { id: 'chat' } });
    const id = String(asked.json['conversationId']);
    assert.equal(await shell.run(guide.next('sh')), `${id}\n`);
    const answering = new GuideShell({ ...variables, CONVERSATION_ID: id });
    assert.equal((await answering.json(guide.next('sh')))['author'], 'Ada');
    assert.equal(await answering.run(guide.next('sh')), '204\n');
    assert.equal((await shell.json(guide.next('sh')))['conversationEvents'], true);
  });
});
