import { after, before, describe } from 'node:test';
import { appendTests } from './event-append.suite.ts';
import { erasureTests } from './event-erasure.suite.ts';
import { readTests } from './event-reading.suite.ts';
import { removalTests } from './event-removal.suite.ts';
import type { EventStoreUnderTest, OpenedEventStore } from './event-store-under-test.suite.ts';

export function eventStoreSuite(name: string, open: () => Promise<OpenedEventStore>): void {
  describe(`event store on ${name}`, () => {
    let opened: OpenedEventStore;
    before(async () => {
      opened = await open();
    });
    after(() => opened[Symbol.asyncDispose]());
    const suite: EventStoreUnderTest = {
      opened: () => opened,
      newSpace: async () => ({ store: opened.events, spaceId: await opened.addSpace() }),
    };
    appendTests(suite);
    readTests(suite);
    removalTests(suite);
    erasureTests(suite);
  });
}
