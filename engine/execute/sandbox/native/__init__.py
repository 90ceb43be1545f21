"""The backend `native`: forks of this machine's own Python, on Linux (x86-64 and arm64).

backend   the client's side: starts the fork servers and asks them
server    the fork server's side: forks, waits, kills; runs no judged code itself
confine   the rights, system calls and memory that a fork gives up before it runs judged code
vdso      the clocks that answer without a system call, overwritten
library   the standard library in memory, for processes that cannot open files
slots     types whose texts could contain an address are watched; doors are made
"""
