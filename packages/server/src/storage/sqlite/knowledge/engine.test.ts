import { knowledgeEngineSuite } from '../../ports/knowledge-engine.suite.ts';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';

knowledgeEngineSuite('SQLite', async () => {
  const directory = temporaryDirectory();
  const store = await openStore(directory.path);
  return {
    store,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
});
