// Formats once, for a page whose browser has not yet: it then looks through all languages that it has, which takes a tenth of a
// second on a slow phone, once for all threads. No module, and no part of the joined files: a worker has its own.

new Intl.DateTimeFormat().format(new Date());
new Intl.NumberFormat().format(1);
close();
