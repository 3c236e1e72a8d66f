import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** So near to the end counts as being there, in pixels. */
const NEAR = 48;

/**
 * Keeps the end of a scrolled element in view while it grows, unless somebody has scrolled away from it.
 * `isAway` tells whether they have; `show` brings them back.
 */
export function useNewestInView(): {
  readonly scrolled: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isAway: { readonly value: boolean };
  show(): void;
} {
  const scrolled = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAway = useMemo(() => signal(false), []);

  useEffect(() => {
    const [box, inner] = [scrolled.current, content.current];
    if (box === null || inner === null) return;
    const distance = () => box.scrollHeight - box.scrollTop - box.clientHeight;
    let top = box.scrollTop;
    const onScroll = () => {
      // What has grown since was not scrolled away from: that is upwards.
      if (distance() <= NEAR) isAway.value = false;
      else if (box.scrollTop < top) isAway.value = true;
      top = box.scrollTop;
    };
    const onGrowth = new ResizeObserver(() => {
      if (!isAway.peek()) box.scrollTop = box.scrollHeight;
    });
    box.addEventListener('scroll', onScroll, { passive: true });
    onGrowth.observe(inner);
    onGrowth.observe(box);
    return () => {
      box.removeEventListener('scroll', onScroll);
      onGrowth.disconnect();
    };
  }, [isAway]);

  return {
    scrolled,
    content,
    isAway,
    show() {
      isAway.value = false;
      const box = scrolled.current;
      box?.scrollTo({ top: box.scrollHeight });
    },
  };
}
