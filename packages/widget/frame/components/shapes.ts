/** What `Icon` draws before there is an answer. */
export const SHAPES = {
  send: 'M5 12h13M12 5l7 7-7 7',
  stop: 'M7 7h10v10H7z',
  close: 'M6 6l12 12M18 6L6 18',
  new: 'M12 5v14M5 12h14',
  history: 'M12 7v5l3 2M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4',
  newest: 'M12 5v14M5 12l7 7 7-7',
};
