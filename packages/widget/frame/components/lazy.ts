import { signal } from '@preact/signals';
import { type ComponentType, type FunctionComponent, h } from 'preact';

export interface Later<P> extends FunctionComponent<P> {
  /** Fetches the part, so that it is there when it is needed. */
  prepare(): Promise<void>;
}

/** A part that is fetched when it is first needed, and what is seen in its place until it is there. */
export function later<P extends object>(
  fetchPart: () => Promise<ComponentType<P>>,
  meanwhile: ComponentType<P> = Nothing,
): Later<P> {
  const fetched = signal<ComponentType<P> | null>(null);
  let fetching: Promise<void> | null = null;
  const prepare = () => {
    fetching ??= fetchPart().then(
      (part) => {
        fetched.value = part;
      },
      () => {
        fetching = null;
      },
    );
    return fetching;
  };
  const Part = (props: P) => {
    if (fetched.value === null) void prepare();
    return h(fetched.value ?? meanwhile, props);
  };
  return Object.assign(Part, { prepare });
}

function Nothing() {
  return null;
}
