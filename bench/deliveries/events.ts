/** Returns the current time in milliseconds, as text with 13 digits, a decimal point and three decimals. */
export function timeText(): string {
  return (performance.timeOrigin + performance.now()).toFixed(3);
}

let made = 0;

/** Returns an event of about `bytes` bytes with one of `subjects` subjects. The event ID starts with the current time. */
export function makeEvent(bytes: number, subjects: number): string {
  made += 1;
  const event = (note: string) =>
    `{"specversion":"1.0","id":"${timeText()}-${made}","source":"https://shop.example.com/orders","type":"com.example.order.updated","subject":"order/${made % subjects}","data":{"order":1001,"lines":[{"sku":"LAMP-7","quantity":2,"price":24.95}],"paid":true,"note":"${note}"}}`;
  return event('x'.repeat(Math.max(0, bytes - event('').length)));
}
