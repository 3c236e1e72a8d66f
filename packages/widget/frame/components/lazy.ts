import { signal } from '@preact/signals';
import { type ComponentType, type FunctionComponent, h } from 'preact';

export interface Lazy<P> extends FunctionComponent<P> {
  /** Fetches the component before it is first rendered. */
  preload(): Promise<void>;
}

/**
 * Returns a component that is fetched when it is first rendered. Until then, and as long as fetching fails, it
 * renders `fallback`.
 */
export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  fallback: ComponentType<P> = () => null,
): Lazy<P> {
  const loaded = signal<ComponentType<P> | null>(null);
  let loading: Promise<void> | null = null;
  const preload = () => {
    loading ??= load().then(
      (component) => {
        loaded.value = component;
      },
      () => {
        loading = null;
      },
    );
    return loading;
  };
  const LazyComponent = (props: P) => {
    if (loaded.value === null) void preload();
    return h(loaded.value ?? fallback, props);
  };
  return Object.assign(LazyComponent, { preload });
}
