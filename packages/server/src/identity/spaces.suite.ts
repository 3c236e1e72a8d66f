import { createSpaces, registerSpaceRoutes, type SpacesModule } from './create-spaces.ts';
import { type IdentityUnderTest, openIdentity } from './identity.suite.ts';

/** The identity and space routes on a real database. */
export interface SpacesUnderTest extends SpacesModule, IdentityUnderTest {
  readonly deleted: string[];
  newSpace(token: string, body?: object): Promise<{ id: string; defaultBotId: number }>;
  newKey(token: string, spaceId: string, scopes: string[]): Promise<string>;
  /** Assigns a role on a bot and returns the status code. */
  setRole(token: string, botId: number, userId: string, role: string): Promise<number>;
}

export async function openSpaces(): Promise<SpacesUnderTest> {
  const deleted: string[] = [];
  let spacesModule: SpacesModule | undefined;
  const identity = await openIdentity({
    register: (app, { db, shared: { semaphores } }, { access, forget }) => {
      const onDeleted = (spaceId: string) => {
        deleted.push(spaceId);
        forget();
      };
      spacesModule = createSpaces({ db, semaphores, clock: Date.now, onDeleted });
      registerSpaceRoutes(app, { ...spacesModule, access });
    },
  });
  if (spacesModule === undefined) throw new Error('The routes were not registered.');
  return Object.assign(identity, spacesModule, {
    deleted,
    newSpace: async (token: string, body: object = { name: 'Shop' }) => {
      const made = (await identity.call('POST', '/spaces', token, body)).body;
      return { id: made.id, defaultBotId: Number(made['defaultBotId']) };
    },
    newKey: async (token: string, spaceId: string, scopes: string[]) => {
      const body = { name: 'key', scopes };
      return (await identity.call('POST', `/spaces/${spaceId}/api-keys`, token, body)).body.key;
    },
    setRole: async (token: string, botId: number, userId: string, role: string) =>
      (await identity.call('PUT', `/bots/${botId}/members/${userId}`, token, { role })).status,
  });
}
