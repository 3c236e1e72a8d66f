/** What `Icon` draws under an answer. */
export const SHAPES = {
  copy: 'M9 9h10v11H9zM5 15V4h10',
  done: 'M5 13l4 4L19 7',
  again: 'M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6',
  up: 'M7 11v9M7 11l4-8c1.5 0 2.5 1 2.5 2.5V9H19l-1.5 11H7M7 11H4v9h3',
  down: 'M7 13V4M7 13l4 8c1.5 0 2.5-1 2.5-2.5V15H19L17.5 4H7M7 13H4V4h3',
};
