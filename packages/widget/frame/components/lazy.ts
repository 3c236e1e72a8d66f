import { signal } from '@preact/signals';
import { type ComponentType, type FunctionComponent, h } from 'preact';

export interface Lazy<P> extends FunctionComponent<P> {
  preload(): Promise<void>;
}

/**
 * Returns a component whose code is fetched at the first render. Renders `fallback` until the fetch succeeds. A failed
 * fetch is retried at the next render.
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
