#pragma once

#include "app/gui/main_window.h"

#include <QTemporaryDir>

#include <memory>

namespace nw::test {

// A window with settings, data and cache of its own, driven as a person would: clicks and keys at what is to be seen.
class Driver {
public:
    Driver();
    ~Driver();

    app::MainWindow& window() { return *m_window; }
    const app::Views& views() const { return m_window->views(); }
    const session::Editing& editing() const { return *m_window->controller().editing(); }
    void start();  // a new window, as after launching the program
    void kill();   // it goes without being closed
    QString data() const { return m_folder.path(); }

    void click(const QString& objectName);
    bool openSample(const QString& title); // by its card on the start page; true when an operator is shown
    void command(const QString& words);    // Ctrl+K, words, Enter
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier); // in the loop nest
    void selectRow(const QString& name);   // a click on its name in the loop nest
    // A single key of the loop nest, then Enter in the form.
    void primitive(int key);
    std::string script() const;
    QString message() const; // of the status line
    bool waitIdle(int seconds);
    QWidget* find(const QString& objectName) const;

private:
    QTemporaryDir m_folder;
    std::unique_ptr<app::MainWindow> m_window;
};

} // namespace nw::test
