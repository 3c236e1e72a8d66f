/**
 * Writes the classes that a broker has loaded into the file of the first argument. With this archive, a broker starts in half of the
 * processor time. Run by `scripts/prepare-tests.sh`.
 */
import { startKafka } from './cluster.ts';
import { SHORT_LIVED } from './program.ts';

const [, , file] = process.argv;
const user = { name: 'gatehouse', password: 'secret' };
await using kafka = await startKafka({
  user,
  java: [...SHORT_LIVED, `-XX:ArchiveClassesAtExit=${file}`],
});
await kafka.addTopic('any', { partitions: 3 });
await kafka.records('any');
for (const broker of kafka.brokers) await broker.stop();
