import type { ShownSpace } from '@gatehouse/client';
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { client, onOtherUser } from './client.ts';
import { loadEarly, type Source } from './early.ts';
import { type Loaded, useLoaded } from './loading.ts';

/** The space of the current page with the rights of the user. Null until it is loaded, and on pages without a space. */
export const currentSpace = signal<ShownSpace | null>(null);

// Another user has other rights.
onOtherUser(() => {
  currentSpace.value = null;
});

const sourceOf = (spaceId: string): Source<ShownSpace> => ({
  key: spaceId,
  load: async () => {
    const known = currentSpace.peek();
    return known?.id === spaceId ? known : client.spaces.get(spaceId);
  },
});

/** Starts to load a space before the first page is rendered. */
export function preloadSpace(spaceId: string): Promise<ShownSpace> {
  return loadEarly(sourceOf(spaceId));
}

export function useSpace(spaceId: string): Loaded<ShownSpace> {
  const loaded = useLoaded(spaceId, sourceOf(spaceId).load);
  useEffect(() => {
    if (currentSpace.peek()?.id !== spaceId) currentSpace.value = null;
  }, [spaceId]);
  useLayoutEffect(() => {
    if (loaded.data !== undefined) currentSpace.value = loaded.data;
  }, [loaded.data]);
  return loaded;
}

/** Loads the current space again when a page with its settings is opened, because somebody else may have changed it. */
export function useFreshSpace(spaceId: string): Loaded<ShownSpace> {
  const loaded = useLoaded(`settings ${spaceId}`, () => client.spaces.get(spaceId));
  useLayoutEffect(() => {
    if (loaded.data !== undefined) currentSpace.value = loaded.data;
  }, [loaded.data]);
  return loaded;
}

/** Loads the space of a page that also exists outside spaces. */
export function useOptionalSpace(spaceId: string | undefined): void {
  const known = currentSpace.peek();
  const { data } = useLoaded<ShownSpace | null>(String(spaceId), async () => {
    if (spaceId === undefined) return null;
    return known?.id === spaceId ? known : client.spaces.get(spaceId);
  });
  useEffect(() => {
    if (data !== undefined) currentSpace.value = data;
  }, [data]);
}

/** Loads the current space again after a change. */
export async function refreshSpace(spaceId: string): Promise<void> {
  currentSpace.value = await client.spaces.get(spaceId);
}

/** Shows no space in the header, for pages outside spaces. */
export function useNoSpace(): void {
  useEffect(() => {
    currentSpace.value = null;
  }, []);
}
