// Uses the installed package against a service. Runs on every runtime, which calls `use`.
import {
  EventBuffer,
  eventSigner,
  Gatehouse,
  NotFoundError,
  signEvent,
  webhooks,
} from '@gatehouse/client';

export async function use(url, token, spaceId) {
  const gatehouse = new Gatehouse({ url, token, spaceId });
  const event = { source: 'https://shop.example/orders', type: 'example.order.paid' };
  const assert = (condition, what) => {
    if (!condition) throw new Error(what);
  };

  const { jwtPayload } = await gatehouse.links.create({ sub: 'customer-42' });
  assert(jwtPayload.spaceId === spaceId, 'a link is created');

  let loaded = 0;
  const file = new Blob(['Refunds take five days.']);
  const document = await gatehouse.documents.create(
    { file, fileName: 'refunds.txt' },
    {
      onProgress: (progress) => {
        loaded = progress.loaded;
      },
    },
  );
  assert(loaded === file.size && document.bytes === file.size, 'a file is uploaded with progress');
  const names = [];
  for await (const { fileName } of gatehouse.documents.list({ limit: 1 })) names.push(fileName);
  assert(names.join() === 'refunds.txt', 'documents are listed');
  const content = await (await gatehouse.documents.download(document.id)).text();
  assert(content === 'Refunds take five days.', 'a file is downloaded');

  const failed = [];
  const buffer = new EventBuffer(gatehouse, { onFailed: (some) => failed.push(...some) });
  const { resume } = await gatehouse.events.list();
  const stream = gatehouse.events.stream({ after: resume ?? undefined });
  const first = stream.next();
  buffer.add({ ...event, id: '1' });
  await buffer.close();
  assert(failed.length === 0, 'a buffered event is stored');
  assert((await first).value.event.id === '1', 'the stream receives the event');
  await stream.return();

  const { secret } = await gatehouse.eventSources.create({ name: 'shop', source: event.source });
  const anonymous = new Gatehouse({ url });
  const query = { signer: eventSigner(secret), spaceId };
  assert((await anonymous.events.send([event], query)).success, 'a request is signed');
  assert(
    (await anonymous.events.send([await signEvent(event, secret)], { spaceId })).success,
    'an event is signed',
  );

  const body = JSON.stringify({ ...event, id: '2' });
  const headers = await eventSigner(secret)()(body);
  assert((await webhooks.unwrap(body, headers, secret)).id === '2', 'a delivery is verified');

  const error = await gatehouse.links.get('0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2').then(
    () => undefined,
    (one) => one,
  );
  assert(
    error instanceof NotFoundError && error.requestId !== undefined,
    'an error has a request id',
  );
}
