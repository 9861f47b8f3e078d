/* Keeps the server, and with it the drive's content, alive when a client dies in the middle of its requests.
 *
 * nbdkit (1.32 at least) aborts then: the first reply that fails marks the connection closed, and the next one, which
 * waited its turn behind it, trips over `assert (sock >= 0)`. Preloaded into nbdkit, `send` lets replies to the dead
 * vanish, so that the end of a connection is met by whoever reads from it; and `shutdown`, which nbdkit calls just
 * before it marks a connection, waits for those that are past the check of that mark to have sent their reply.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

ssize_t send (int socket, const void *from, size_t count, int flags)
{
  const ssize_t sent = syscall (SYS_sendto, socket, from, count, flags, NULL, 0);
  return sent < 0 && (errno == EPIPE || errno == ECONNRESET) ? (ssize_t) count : sent;
}

int shutdown (int socket, int how)
{
  const struct timespec a_while = { .tv_nsec = 50000000 };
  nanosleep (&a_while, NULL);
  return (int) syscall (SYS_shutdown, socket, how);
}
