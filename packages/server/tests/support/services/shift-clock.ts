// Preload of a service whose clock is wrong by `TEST_CLOCK_SHIFT_MS` milliseconds.
const shift = Number(process.env['TEST_CLOCK_SHIFT_MS']);
const { now } = Date;
Date.now = () => now() + shift;
