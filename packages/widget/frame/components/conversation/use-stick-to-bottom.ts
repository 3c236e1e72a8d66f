import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** A container within this distance of the end, in pixels, counts as scrolled to the end. */
const TOLERANCE = 48;

/** Keeps the end of a growing scroll container in view until the user scrolls up. */
export function useStickToBottom(): {
  readonly scroller: RefObject<HTMLElement | null>;
  /** The element inside `scroller` that grows. */
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isScrolledUp: { readonly value: boolean };
  scrollToEnd(): void;
} {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isScrolledUp = useMemo(() => signal(false), []);

  useEffect(() => {
    const [box, inner] = [scroller.current, content.current];
    if (box === null || inner === null) return;
    const distance = () => box.scrollHeight - box.scrollTop - box.clientHeight;
    let top = box.scrollTop;
    const onScroll = () => {
      // New content also increases the distance, but only the user can scroll up.
      if (distance() <= TOLERANCE) isScrolledUp.value = false;
      else if (box.scrollTop < top) isScrolledUp.value = true;
      top = box.scrollTop;
    };
    const onGrowth = new ResizeObserver(() => {
      if (!isScrolledUp.peek()) box.scrollTop = box.scrollHeight;
    });
    box.addEventListener('scroll', onScroll, { passive: true });
    onGrowth.observe(inner);
    onGrowth.observe(box);
    return () => {
      box.removeEventListener('scroll', onScroll);
      onGrowth.disconnect();
    };
  }, [isScrolledUp]);

  return {
    scroller,
    content,
    isScrolledUp,
    scrollToEnd() {
      isScrolledUp.value = false;
      const box = scroller.current;
      box?.scrollTo({ top: box.scrollHeight });
    },
  };
}
