import { createSpaces, registerSpaceRoutes, type SpacesModule } from './create-spaces.ts';
import { type IdentityUnderTest, openIdentity } from './identity.suite.ts';

/** Access and spaces together, in front of a real database. */
export interface SpacesUnderTest extends SpacesModule, IdentityUnderTest {
  /** Ids of the spaces whose deletion was told. */
  readonly deleted: string[];
  /** A new space of the person. */
  newSpace(token: string, body?: object): Promise<{ id: string; defaultBotId: number }>;
  /** A key of the space. */
  newKey(token: string, spaceId: string, scopes: string[]): Promise<string>;
  give(token: string, botId: number, userId: string, role: string): Promise<number>;
}

export async function openSpaces(): Promise<SpacesUnderTest> {
  const deleted: string[] = [];
  let spacesModule: SpacesModule | undefined;
  const identity = await openIdentity({
    register: (app, db, { access, forget }) => {
      const onDeleted = (spaceId: string) => {
        deleted.push(spaceId);
        forget();
      };
      spacesModule = createSpaces({ db, clock: Date.now, onDeleted });
      registerSpaceRoutes(app, { ...spacesModule, access });
    },
  });
  if (spacesModule === undefined) throw new Error('the routes are registered');
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
    give: async (token: string, botId: number, userId: string, role: string) =>
      (await identity.call('PUT', `/bots/${botId}/members/${userId}`, token, { role })).status,
  });
}
