import { createSpaces, registerSpaceRoutes, type SpacesRoom } from './create-spaces.ts';
import { openRoom, type Room } from './identity.suite.ts';

/** Access and spaces together, in front of a real database. */
export interface House extends SpacesRoom, Room {
  /** Ids of the spaces whose deletion was told. */
  readonly deleted: string[];
  /** A new space of the person. */
  newSpace(token: string, body?: object): Promise<{ id: string; defaultBotId: number }>;
  /** A key of the space. */
  newKey(token: string, spaceId: string, scopes: string[]): Promise<string>;
  give(token: string, botId: number, userId: string, role: string): Promise<number>;
}

export async function openHouse(): Promise<House> {
  const deleted: string[] = [];
  let spacesRoom: SpacesRoom | undefined;
  const room = await openRoom({
    register: (app, db, { access, forget }) => {
      const onDeleted = (spaceId: string) => {
        deleted.push(spaceId);
        forget();
      };
      spacesRoom = createSpaces({ db, clock: Date.now, onDeleted });
      registerSpaceRoutes(app, { ...spacesRoom, access });
    },
  });
  if (spacesRoom === undefined) throw new Error('the routes are registered');
  return Object.assign(room, spacesRoom, {
    deleted,
    newSpace: async (token: string, body: object = { name: 'Shop' }) => {
      const made = (await room.call('POST', '/spaces', token, body)).body;
      return { id: made.id, defaultBotId: Number(made['defaultBotId']) };
    },
    newKey: async (token: string, spaceId: string, scopes: string[]) => {
      const body = { name: 'key', scopes };
      return (await room.call('POST', `/spaces/${spaceId}/api-keys`, token, body)).body.key;
    },
    give: async (token: string, botId: number, userId: string, role: string) =>
      (await room.call('PUT', `/bots/${botId}/members/${userId}`, token, { role })).status,
  });
}
