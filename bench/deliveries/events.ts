/** Of `performance.timeOrigin + performance.now()`: 13 digits of milliseconds, a point and three more. */
export function timeText(): string {
  return (performance.timeOrigin + performance.now()).toFixed(3);
}

let made = 0;

/** An event of about `bytes`, of one of `subjects` lanes, whose id begins with the time. */
export function makeEvent(bytes: number, subjects: number): string {
  made += 1;
  const event = (note: string) =>
    `{"specversion":"1.0","id":"${timeText()}-${made}","source":"https://shop.example.com/orders","type":"com.example.order.updated","subject":"order/${made % subjects}","data":{"order":1001,"lines":[{"sku":"LAMP-7","quantity":2,"price":24.95}],"paid":true,"note":"${note}"}}`;
  return event('x'.repeat(Math.max(0, bytes - event('').length)));
}
