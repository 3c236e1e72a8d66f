import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { knowledgeEngineSuite } from '../../ports/knowledge-engine.suite.ts';
import { newDatabase } from '../database.suite.ts';
import { openStore } from '../open-store.suite.ts';

knowledgeEngineSuite(
  'PostgreSQL',
  async () => {
    const store = await openStore(await newDatabase());
    return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  },
  postgresIsMissing,
);
