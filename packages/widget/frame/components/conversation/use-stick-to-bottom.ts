import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** Distance from the end that counts as the end, in pixels. */
const TOLERANCE = 48;

/** Keeps the end of a growing scroll container in view until the person scrolls up. */
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
      // Growth increases the distance too, but only a person scrolls upwards.
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
