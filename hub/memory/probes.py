"""Texts that are about no failure: what the floor is set by.

Every index is asked these when it is made; what it would answer to them is what chance reaches in it. They are of the
kinds that are most often taken for a question about a failure: documentation of functions, technical prose, questions
about how to do things, and the output of commands that did what they should. They were written for this purpose and
occur in no benchmark.
"""

from __future__ import annotations

_TEXTS = """\
Return the median of a sequence of numbers.

Args:
    values: the numbers, in any order; at least one.
    weights: how much each of them counts.

Returns:
    The value that half of the weight lies below.

Raises:
    ValueError: if the sequence is empty.
---
Iterate over the keys of the mapping in the order they were inserted. The view follows later insertions.
---
Open a connection to the broker and declare the exchange.

The connection is shared by all channels of this object; close it with `close` or use the object as a context manager.
Raise ConnectionError if the broker does not answer.
---
Convert a colour from hue, saturation and lightness to red, green and blue.

Each component is between 0 and 1.
Values outside of it are clipped; a ValueError is raised for the wrong number of components.
---
Parse a cron expression and yield the times at which it fires after a given date. Fields may hold lists, ranges and
steps. Raises ValueError for an unknown field.
---
Compute the convex hull of a set of points in the plane by the monotone chain algorithm, in O(n log n).
---
Register a callback to be run when the event loop is about to block for input.

:param callback: a function without arguments
:return: a handle that unregisters it
:raises RuntimeError: if the loop is closed
---
A tokenizer for mathematical notation. Splits at operators and parentheses, keeps numbers with their exponents
together and attaches the position in the source to every token.
---
class Matrix: dense matrix with rows and columns. Supports addition, multiplication, transposition and slicing; rows
are stored contiguously. An exception is raised if the shapes do not match.
---
Serialise the object to MessagePack. Sets become sorted arrays, dates become extension type 5, and custom types may
bring an encoder of their own. Raises TypeError for objects that have none.
---
Draw a histogram with the given number of bins.

Parameters
----------
data : array_like
    Observations, one a row.
bins : int, default 10
    Number of bars.
density : bool
    Normalise so that the area is one.
---
Resize an image to fit a box, keeping its aspect ratio. The filter may be nearest, bilinear or lanczos; transparent
borders are cropped first.
---
Return the greatest common divisor of two integers, always non-negative. A TypeError is raised if an argument is not
an int.
---
Walk a directory tree top down and yield a tuple of path, folders and files for each directory. Symbolic links are
followed only if asked for. Folders that cannot be listed are skipped unless an error handler is given.
---
Encode bytes as base 85 with the alphabet of Git. Padding is added to a multiple of four bytes before encoding. Raise
ValueError if the input holds characters that are not in the alphabet.
---
Create a temporary table with the schema of another one and copy its indexes. The table disappears at the end of the
session.
---
Signal emitted when the selection of the list view changes. Handlers receive the list of selected indices, in visual
order.
---
Decorator that caches up to maxsize results of a function, discarding the least recently used one. Arguments must be
hashable. The wrapped function has the methods cache_info and cache_clear.

>>> @cached(maxsize=2)
... def square(n): return n * n
---
Set the gain of the equaliser band in decibels.

band: 0 (lowest) to 9 (highest)
gain: -12 to +12
---
Compare two version strings by their numeric parts, with pre-releases sorted before the release. Returns -1, 0 or 1;
InvalidVersion is raised if a string cannot be parsed.
---
Wraps a generator of chunks in a file-like object so that it may be read line by line without holding everything in
memory. Reading after close raises ValueError.
---
Return an iterator over all sub-strings of a given length. The last one may be shorter when `partial` is set. If the
length is smaller than one, ValueError is raised.
---
Middleware that adds security headers to every response: content security policy, referrer policy and strict transport
security. Each may be overridden per route.
---
Estimate the parameters of a linear model by least squares with ridge regularisation.

alpha: strength of the penalty
intercept: whether a constant is fitted, too
Returns coefficients and residuals.
Raises LinAlgError if the matrix is singular.
---
Format a duration for people: 3 hours ago, in two weeks. The locale decides about plural forms.
---
Schedule a job for later execution on one of the workers. The priority decides the order in which waiting jobs are
taken from the queue; equal priorities are served first come, first served. Returns the id of the job, or None if the
queue is full.
---
Mixin for views that list objects page by page. `paginate_by` is the number of objects on a page, `ordering` a field
name or a list of them.
---
Merge two sorted linked lists and return the head of the merged list. The nodes are reused. Either may be None.
---
Low-level interface to the clipboard of the desktop. Text, images and lists of files are supported on all three
platforms. NotImplementedError is raised on others.
---
Enumeration of the states of a traffic light controller: red, red-amber, green, amber. Transitions are made by
`advance`.
---
Return True if the string is a palindrome, ignoring case, spaces and punctuation. Returns False for the empty string.
---
Validate an e-mail address against the grammar of RFC 5322 and return its local part and domain, normalised to lower
case. Raise ValueError with a message for people if it is not valid.
---
The number of seconds to wait between two polls of the sensor. Values under one are rounded up by the firmware.
---
Sample from a Dirichlet distribution. The concentration parameters must be positive; the result sums to one along the
last axis. Otherwise a ValueError is raised.
---
Attach an observer to the property. It is called with the old and the new value after each assignment, in the thread
that made it.
---
Build the command line parser with its sub-commands: init, add, list, export. Options common to all of them come
first. Exits with status 2 and prints the usage if the arguments are wrong.
---
Highlight the syntax of a snippet of source code and return it as HTML with one span a token. Line numbers are
optional.
---
Subscribe to a topic with a quality of service of 0, 1 or 2, and return an asynchronous iterator over the messages.
The iterator ends when the connection is lost, and raises TimeoutError if nothing arrives in time.
---
Rotate the tree to the left around a node and update the heights of the two nodes involved.
---
Load translations for a domain from the catalogue of the given language, falling back to the parent locale. If no
catalogue is found, an OSError is raised, unless fallback is true.
---
How do I reverse a linked list in place?
---
What is the difference between an abstract class and an interface in Java?
---
Which HTTP method should I use to update part of a resource?
---
How can I draw a dashed line with matplotlib?
---
Is there a way to pretty-print JSON in the shell?
---
What are the best practices for naming database tables?
---
Can you explain how public key cryptography works to a ten-year-old?
---
How do I convert a list of tuples to a dictionary in Python?
---
Write a SQL query that returns the three best-paid employees of each department
---
What does the ampersand mean at the end of a shell command?
---
Recommend a board game for five players that takes less than an hour
---
How should I structure the folders of a medium-sized React project?
---
Please summarise the plot of Hamlet in three sentences
---
How many litres of paint do I need for a wall of twenty square metres?
---
What is the time complexity of binary search and why?
---
Translate "the meeting is moved to Thursday" into Italian
---
How do I set up continuous deployment for a static website?
---
Write unit tests for a function that computes leap years
---
Which Python web framework is the easiest to learn for a small internal tool?
---
Give me a checklist for moving house
---
How does garbage collection work in Go?
---
What should I cook with leeks, potatoes and half a lemon?
---
Plan a three-day hike in the Dolomites with nights in huts
---
Explain the CAP theorem with an example from online banking
---
How do I add a column with a default value to a large PostgreSQL table?
---
The gateway terminates TLS, checks the token and forwards the request to one of the services behind it, adding a
header with the identity of the caller.
---
The museum is open from Tuesday to Sunday between ten and six; guided tours start every full hour at the main
entrance.
---
Feature flags are evaluated in the browser with rules that the server sends at start-up, so switching one takes effect
with the next page.
---
The valley narrows towards the pass, where the old customs house stands beside a chapel from the twelfth century.
---
Columnar formats store the values of one field next to each other, which compresses well and lets a query read only
the fields it names.
---
Release notes: the editor remembers the cursor position, the search panel can be docked, and start-up is twice as
fast.
---
Our guidelines ask for short functions, typed signatures and one test file a module. Reviews are done by two people.
---
The orchestra rehearses on Monday evenings in the town hall; new violas and a second bassoon are welcome.
---
A service mesh moves retries, timeouts and encryption out of the applications into a proxy that runs beside each of
them.
---
The contract runs for two years and is renewed by one year at a time if neither party gives notice three months before
its end.
---
Transformers process all tokens of a sequence in parallel and use attention to weigh how much each of them matters for
the others.
---
Knead the dough for ten minutes, let it rise under a damp cloth, fold it twice and bake it on a hot stone.
---
The agent plans the trip in three steps: it looks up connections, compares prices and reserves the cheapest ticket
that arrives before noon.
---
The satellite circles the earth sixteen times a day and photographs a strip of two hundred kilometres in eight bands.
---
Backups are taken nightly, kept for thirty days and copied to a second region; a restore is rehearsed every quarter.
---
The data set holds 48,000 reviews in five languages with a rating from one to five stars and the date of purchase.
---
The assistant answered the customer, updated the address in the account and confirmed that the parcel will arrive on
Friday.
---
The research assistant collected twelve papers, sorted them by year and wrote a paragraph about the method of each.
---
Each microservice owns its database; other services read its data through the interface or from events on the bus.
---
The city council presented the plan for a new tram line that connects the hospital, the university and the harbour.
---
added 214 packages, and audited 215 packages in 6s

38 packages are looking for funding
  run `npm fund` for details

found 0 vulnerabilities
---
CONTAINER ID   IMAGE          STATUS         PORTS                    NAMES
3fa1c0d9be21   postgres:16    Up 2 hours     0.0.0.0:5432->5432/tcp   shop-db-1
9be77a01c4d2   shop-web       Up 2 hours     0.0.0.0:8000->8000/tcp   shop-web-1
---
[main 5c1e7aa] Add the export of invoices
 3 files changed, 84 insertions(+), 12 deletions(-)
 create mode 100644 src/invoices/export.py
---
All checks passed!
214 files already formatted
Success: no issues found in 187 source files
---
{"id": 4711, "status": "confirmed", "items": [{"sku": "A-17", "quantity": 2}], "total": "59.80", "currency": "EUR"}
---
vite v5.4.2 building for production...
transforming...
✓ 412 modules transformed.
dist/index.html                 0.46 kB
dist/assets/index-B1xw.js     182.31 kB
✓ built in 2.87s
---
  id  | name    | city
------+---------+----------
  101 | Okafor  | Lagos
  102 | Lindqvist | Uppsala
(2 rows)
---
running 36 tests
test parser::numbers ... ok
test parser::strings ... ok
test result: ok. 36 passed; 0 ignored; 0 measured; finished in 0.41s
---
user: which trains go to Ghent tomorrow morning?
assistant: There are four: 7:04, 7:34, 8:04 and 8:34, all from platform 6.
user: take the second one
assistant: Booked, seat 42 in coach 3.
---
assistant: I read the three reports and will now write the summary.
tool: wrote summary.md (1,240 words)
assistant: The summary is ready; the main finding is on the first page.
---
$ git log --oneline -3
a81f2c0 Sort the results by date
77d10e4 Move the settings into their own module
19cc3b5 First version of the search page
---
user: please rename the function and update all callers
assistant: I renamed it in 7 files and ran the tests; all 52 pass.
---
Fetching origin
From github.example:team/app
   1f0c2d1..8d7e9aa  main       -> origin/main
Already on 'main'
Your branch is up to date with 'origin/main'.
---
assistant: thought: the user wants the population of the three largest cities
action: search[largest cities of Portugal]
observation: Lisbon 545,000; Porto 232,000; Vila Nova de Gaia 187,000
assistant: The three together have 964,000 inhabitants.
---
Read a delimited text file into a data frame.

Parameters
----------
path : str or file-like
    Where to read from; compressed files are recognised by their suffix.
separator : str, default ','
    Character between two fields.
header : int or None
    Row that holds the names of the columns; None when there is none.
columns : list of str, optional
    Read only these columns, which is faster for wide tables.

Returns
-------
DataFrame
    One row for each line, types guessed from the first thousand lines.

Examples
--------
>>> read_table("prices.csv", columns=["date", "close"])

Raises
------
FileNotFoundError
    If the path does not exist.
ValueError
    If a row has too many fields.
---
Client for the weather service. Keeps a session open, retries idempotent requests twice and respects the limit on the
number of requests a minute. All methods return plain dictionaries as they come from the server; use `Forecast.parse`
to get typed objects. The unit system is metric unless set otherwise, and times are in the zone of the station.
Instances are safe to share between threads. Errors of the server are raised as WeatherError with the status code and
the message.
---
Base class for all widgets. A widget has a parent, a position relative to it and a size; it is drawn after its
siblings of lower order. Override `paint` to draw, `measure` to tell the preferred size, and `handle` to react to
events. Events bubble up until a handler returns True. Styles are looked up by the name of the class and then by the
identifier.
---
Split the data into training and test sets.

The split is stratified by the label when one is given, so that both sets hold each class in the same proportion. With
a group column, all rows of one group go to the same side. The random state makes the split repeatable; the fraction
of the test set may be given as a float between zero and one or as a number of rows. Raises ValueError if a class has
fewer than two members.
---
Run a command in a child process and wait for it to finish.

The command is a list of arguments; no shell is involved unless asked for. Standard output and standard error are
captured as text when `capture` is set and inherited otherwise. With a time limit, the child is terminated when it is
reached. The result carries the arguments, the exit status and what was captured. Environment variables are added to
those of the parent. CalledProcessError is raised for a status other than 0 if `check` is true, TimeoutExpired when
the time is up.
---
Context manager that changes the current working directory and goes back to the previous one at the end of the block,
even if the block is left early. Nested uses are allowed. Threads share one working directory, so use it only in the
main thread, or pass absolute paths. FileNotFoundError is raised if the folder does not exist.
---
Return the shortest path between two nodes of a weighted graph.

Dijkstra's algorithm with a binary heap; weights must not be negative. The graph is a mapping from nodes to mappings
from neighbours to weights. When several paths have the same length, the one whose nodes come first in sorted order is
returned. Runs in O((V + E) log V). Raises KeyError if a node is missing and NoPath if there is none.
---
Model of a blog post with a title, a body in Markdown, tags, an author and a date of publication. Posts without a date
are drafts, visible to their author only. The slug is made from the title when the post is saved for the first time
and stays the same afterwards, so that links keep working. Deleting an author keeps the posts.
---
Loads settings in layers: defaults in the code, then the file in the user's home, then the file in the project, then
environment variables with the prefix APP_, then arguments. Later layers win. Lists replace each other, tables are
merged key by key. `explain` tells for each setting which layer its value comes from. A file with a syntax error is
reported with its line.
---
Pool of reusable database connections. Borrow one with `acquire`, give it back with `release`, or use the pool in an
async with statement. The pool starts with `minimum` connections and grows on demand up to `maximum`; idle ones are
closed after ten minutes. Each connection is checked with a cheap query before it is handed out. If none becomes free
within the timeout, PoolTimeout is raised.
---
Type of a node in the syntax tree. Expressions have a type and a constant value if they can be folded; statements have
a list of successors in the control flow graph. Visitors are generated from this description, one method a node, and
the default method visits the children from left to right. Raises NotImplementedError in the base class.
---
Writes log records as JSON, one a line.

Each line holds the time in UTC, the level, the name of the logger and the message; further fields are taken from the
record's extra dictionary. Files are rotated at midnight and kept for two weeks. Use it with the standard library's
logging configuration, under the key `formatters`. Exceptions are written with their traceback as a list of strings.
---
Apply a function to every element of the stream and flatten the results by one level. The order of elements is kept.
The function may return any iterable, or None to drop the element. Evaluation is lazy: nothing happens until the
stream is consumed, and then one element at a time. Exceptions of the function are passed on to the consumer.
---
Returns the locale's conventions for numbers: the decimal separator, the grouping separator, the sizes of groups and
the position of the currency symbol. The values come from the CLDR tables of the given version. Unknown regions take
the values of the language.
---
Dataset of handwritten digits as pairs of an image tensor and a label. The images have one channel and 28 by 28 pixels
with values between 0 and 1. Set `train` to choose the part, `transform` to apply a function to each image and
`download` to fetch the files once into the root folder. RuntimeError is raised if the files are not found.
---
Compile a template from a string.

Placeholders are written in double braces, control structures in a brace and a percent sign. Values are escaped for
HTML unless marked as safe. Templates may extend others and override their blocks; included files are searched for in
the folders of the loader, in order. Compiled templates are cached by name. TemplateSyntaxError is raised with name
and line if it cannot be parsed; unknown variables are undefined.
---
Generates unique identifiers that sort by time: 48 bits of milliseconds and 80 bits of randomness, written with 26
characters of Crockford's alphabet. Within one millisecond the random part is incremented, so identifiers made by one
process are strictly increasing.
---
A bounded queue between producers and consumers. `put` waits while the queue is full, `get` while it is empty; both
take an optional timeout. `close` lets consumers finish what is left and then ends their iteration. The number of
waiting tasks is available as `pending` for monitoring. After that, `get` raises QueueClosed.
---
Plots the learning curve: the score on the training set and on the validation set over the number of examples, with a
band of one standard deviation over the folds. Pass an axis to draw into an existing figure. Returns the figure so
that it may be saved or refined.
---
Mark a test to be run once for every set of arguments. Names are given as a comma-separated string, values as a list
of tuples. Identifiers for the report are made from the values unless given. Decorators may be stacked, which
multiplies the sets. An error is reported while tests are collected if a tuple has the wrong number of values.
---
Our assistant answers questions about orders, deliveries and invoices. It looks up the order by its number, asks one
question when something is unclear and hands over to a colleague when the customer wishes. Conversations are kept for
ninety days and can be exported as a table.
---
The crawler visits each page once, respects robots.txt and waits a second between two requests to the same host. Pages
are stored compressed together with their headers and the time of the visit. A second program extracts titles, links
and the main text and writes them to the index.
---
The quarterly newsletter: the library moves to the new building in May, the reading group discusses short novels this
spring, the workshop on bookbinding has two free places, and the café now serves soup at noon. Volunteers who would
like to help with the move may sign the list at the counter.
---
Ownership in this language is checked when a program is compiled: each value has one owner, borrowing is either shared
or exclusive, and a value is released when its owner goes out of scope. There is therefore no collector and no manual
release. Threads may share data only if its type says so.
---
In this tutorial we build a small shop: first the models for products and orders, then the pages for the catalogue and
the basket, then the payment with a test account. Each chapter ends with exercises, and the code of every chapter is
in a branch of its own.
---
The planner splits the goal into sub-tasks, assigns each of them to one of the agents and collects their answers in a
shared notebook. The writer turns the notebook into a report of two pages; the reviewer reads it and suggests shorter
sentences. All of them use the same model with different instructions.
---
user: what's on my calendar today? assistant: You have three meetings: the stand-up at 9:15, the design review at 11
and a call with the supplier at 15:30. user: move the call to tomorrow at the same time tool: event moved, invitation
updated for 2 guests assistant: Done. The call is now tomorrow at 15:30 and both guests were told.
---
user: compare these two laptops for me
assistant: The first weighs 1.2 kg and has a screen of 13 inches, the second weighs 1.6 kg with 15 inches and a better
keyboard. Both have 16 GB of memory. For travelling I would take the first.
user: thanks, I'll order it
assistant: Here is the link to the shop; delivery takes two days.
---
[INFO] Scanning for projects...
[INFO] Building inventory-service 2.3.0
[INFO] --- resources:3.3.1:resources (default-resources) @ inventory-service ---
[INFO] Copying 4 resources from src/main/resources to target/classes
[INFO] --- jar:3.4.1:jar (default-jar) @ inventory-service ---
[INFO] BUILD SUCCESS
[INFO] Total time:  6.214 s
---
Terraform used the selected providers to generate the following execution plan.
  + resource "aws_s3_bucket" "assets"
  ~ resource "aws_lambda_function" "thumbnail"
Plan: 1 to add, 1 to change, 0 to destroy.
Apply complete! Resources: 1 added, 1 changed, 0 destroyed.
---
Epoch 1/3  loss 0.6931  accuracy 0.5120
Epoch 2/3  loss 0.4127  accuracy 0.8154
Epoch 3/3  loss 0.2988  accuracy 0.8802
saved checkpoint to runs/sentiment/epoch3.pt
"""
PROBES = tuple(_TEXTS.strip().split("\n---\n"))
